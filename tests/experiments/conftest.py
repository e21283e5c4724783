"""The diamond and the program of the command line's tests."""

from tests.cli.conftest import diamond, pardnn

__all__ = ["diamond", "pardnn"]
