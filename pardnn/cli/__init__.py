"""The command line: one command a file; parse, call, print, and map errors to exit codes."""


def main() -> None:
    """The program `pardnn`."""
    import sys

    from pardnn.cli.run import run

    raise SystemExit(run(sys.argv[1:]))
