"""HTML from nested calls: whatever is plain text is escaped, so a name can never become markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from pardnn.report.words import safe, short

NAME_LENGTH = 200
"""Longer names lose their middle."""
_HOST = re.compile("^/job:[^/]*/task:([0-9]+)/device:")
_VOID = ("br", "circle", "input", "line", "meta", "path", "rect")


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


Part = str | Html | None


def tag(name: str, /, *parts: Part | Iterable[Part], **attributes: object) -> Html:
    """An element; False and None leave an attribute out, `class_` is class, `aria_label` is aria-label.

    >>> tag("td", "<b>", class_="name")
    '<td class="name">&lt;b&gt;</td>'
    """
    head = name + "".join(f" {_attribute(key)}{_value(value)}" for key, value in attributes.items() if _there(value))
    if name in _VOID:
        return Html(f"<{head}/>")
    return Html(f"<{head}>{join(parts)}</{name}>")


def join(parts: Iterable[Part | Iterable[Part]]) -> Html:
    """The parts one after the other, texts escaped."""
    return Html("".join(_text(part) if isinstance(part, str | None) else join(part) for part in parts))


def shown(name: str) -> str:
    r"""A name as the report shows it: control and direction signs as escapes, the middle of long ones left out.

    >>> shown("a\u202eb\n"), len(shown("x" * 4000))
    ('a\\u202eb\\n', 200)
    """
    half = NAME_LENGTH // 2
    if len(name) > 4 * NAME_LENGTH:  # before escaping, which can make it ten times as long
        name = f"{name[: 2 * NAME_LENGTH]}{name[-2 * NAME_LENGTH :]}"
    text = name if name.isprintable() else safe(name)
    return text if len(text) <= NAME_LENGTH else f"{text[:half]}…{text[1 - half :]}"


def brief(device: str) -> str:
    """A device, or a link named after one, in a few signs.

    >>> brief("/device:GPU:0"), brief("/job:worker/task:1/device:GPU:3 out")
    ('GPU:0', 'host 1 GPU:3 out')
    """
    return short(_HOST.sub(r"host \1 ", device))


def table(
    heads: Sequence[Part], rows: Iterable[Sequence[Part]], *, left: int = 1, caption: str = "", class_: str = ""
) -> Html:
    """A table whose first `left` columns are words; the others are figures, flush right. A wide one scrolls."""
    side = ["" if column < left else "figure" for column in range(len(heads))]
    head = tag("tr", [tag("th", text, scope="col", class_=s) for text, s in zip(heads, side, strict=True)])
    body = [
        tag("tr", [_cell(text, s, first=not i) for i, (text, s) in enumerate(zip(row, side, strict=True))])
        for row in rows
    ]
    inner = tag("table", tag("caption", caption) if caption else None, tag("thead", head), tag("tbody", body))
    return tag(
        "div", inner, class_=f"wide {class_}".rstrip(), tabindex="0", role="region", aria_label=caption or "table"
    )


def _cell(text: Part, side: str, *, first: bool) -> Html:
    if isinstance(text, Html) and text.startswith(("<td", "<th")):
        return text
    return tag("th", text, scope="row") if first else tag("td", text, class_=side)


def _text(part: Part) -> str:
    return part if isinstance(part, Html) else escape(safe(part)) if part else ""


def _there(value: object) -> bool:
    return value is not None and value is not False and value != ""


def _attribute(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _value(value: object) -> str:
    return "" if value is True else f'="{escape(safe(str(value)))}"'
