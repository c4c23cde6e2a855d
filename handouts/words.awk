# words.awk: how many words a reader sees in a handout's way, which ends at the heading "More".
# Listings, comments, pictures and addresses of links are no words; folded text is.
#
#     awk -f handouts/words.awk handouts/lab3.md
/^## More$/ { more = 1; exit }
/^```/ { listing = !listing; next }
listing { next }
{
    gsub(/<!--[^>]*-->|<\/?[a-z]+>|!\[[^]]*\]\([^)]*\)/, "")
    gsub(/\]\([^)]*\)/, "]")
    for (i = 1; i <= NF; i++) words += $i ~ /[A-Za-z0-9]/
}
END { print more ? words : "no heading More" }
