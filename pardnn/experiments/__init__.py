"""Many decisions at once: cells of a sweep, carried out anywhere, kept, and put into one table."""
