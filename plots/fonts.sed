# fonts.sed: add font weights and a second font family, which gnuplot's svg driver lacks.
s/font-family="DejaVu Sans:Bold"/font-family="DejaVu Sans" font-weight="bold"/g
s/font-family="DejaVu Sans"/font-family="DejaVu Sans, Verdana, Arial, sans-serif"/g
