"""Op times learned from measurements: features, networks of plain arrays, what they are sure of."""
