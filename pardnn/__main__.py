"""`python -m pardnn`."""

from pardnn.cli import main

main()
