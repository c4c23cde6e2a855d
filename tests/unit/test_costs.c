/* Tests of what calls of the API take the host: near what was measured on an H200's host. */

#include "lib/csv.h"
#include "lib/die.h"
#include "simt/time/call_cost.h"
#include "unit.h"

enum { SHORT_BYTES = 65536, LONG_BYTES = 1 << 30 };

/* Compares the calls in a file with the model. Returns how many. */
static int compare(const char *path) {
    int compared = 0;
    struct csv *table = csv_read(path, &CSV_COMMAS);
    if (!table) fail_msg("%s", failure);
    for (int row = 0; row < csv_rows(table); row++) {
        const char *function = csv_get(table, row, "variant");
        double ns = 1000 * atof(csv_get(table, row, "us")),
               bytes = atof(csv_get(table, row, "bytes"));
        double mib_ns = call_cost(function)->mib_ns, modelled = call_cost(function)->ns,
               within = 1.3;
        bool is_function = !strchr(function, ' ') || !strcmp(function, "first call");
        if (strcmp(csv_get(table, row, "experiment"), "call") || !is_function) continue;
        if (mib_ns > 0 && bytes == LONG_BYTES) {
            modelled = mib_ns * bytes / (1 << 20);
            within = 2; /* a GiB takes cudaMalloc hardly longer than a quarter */
        } else if (mib_ns > 0 && bytes != SHORT_BYTES) {
            continue;
        }
        compared++;
        if (modelled > within * ns || ns > within * modelled)
            fail_msg("%s of %.0f bytes: %.0f ns modelled, %.0f ns measured", function, bytes,
                     modelled, ns);
    }
    csv_free(table);
    return compared;
}

TEST(near_what_was_measured) {
    assert_true(compare("plots/reference/h200/timeline.csv") > 30);
    assert_true(compare("plots/reference/h200/graphs.csv") >= 9);
}
