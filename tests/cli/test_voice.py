"""What is said on streams of several kinds."""

import sys

import pytest

from pardnn.cli.voice import Voice


@pytest.mark.parametrize(("encoding", "shown"), [("utf-8", "█"), ("ascii", "#"), (None, "#")])
def test_bars_are_drawn_where_the_encoding_is_known_to_have_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], encoding: str | None, shown: str
) -> None:
    class Stream:
        def __init__(self, real: object) -> None:
            self.real, self.encoding = real, encoding

        def __getattr__(self, name: str) -> object:
            return getattr(self.real, name)

    monkeypatch.setattr(sys, "stdout", Stream(sys.stdout))
    Voice().show("█")
    assert capsys.readouterr().out == f"{shown}\n"
