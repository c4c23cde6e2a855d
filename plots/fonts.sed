# fonts.sed: gnuplot's svg driver knows neither weights nor a second family for machines without the first.
s/font-family="DejaVu Sans:Bold"/font-family="DejaVu Sans" font-weight="bold"/g
s/font-family="DejaVu Sans"/font-family="DejaVu Sans, Verdana, Arial, sans-serif"/g
