"""The command line: one command a file; parse, call, print, and map errors to exit codes."""


def main() -> None:
    """The program `pardnn`."""
    import sys

    try:
        from pardnn.cli.run import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while still importing
        code = 130
    raise SystemExit(code)
