"""The page: sections with their data, one style, one script, and a policy that allows nothing else."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from pardnn.report.html.markup import Html, join, shown, tag

_STYLES = ("uplot/uPlot.min.css", "page.css", "plots.css", "print.css")
_LICENSE = ("uplot/LICENSE",)
"""Goes with every copy."""
_SCRIPTS = (
    "uplot/uPlot.iife.min.js", "base.js", "data.js", "theme.js", "view.js", "lanes.js", "pointer.js", "timeline.js",
    "memory.js", "boxes.js", "scopes.js", "rows.js", "table.js", "lines.js", "main.js",
)  # fmt: skip


@dataclass(frozen=True)
class Section:
    """A part of the page with a heading, and the data its script draws (see `pack`)."""

    key: str
    title: str
    body: Html
    data: str = ""


def page(title: str, head: Html, sections: Sequence[Section]) -> bytes:
    """The whole file as UTF-8; equal arguments give equal bytes.

    The policy lets exactly this style and this script in, by their hashes, and no connection out.
    """
    style, script = assets(_STYLES), f"/*!\n{assets(_LICENSE)}*/\n{assets(_SCRIPTS)}"
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
    top = join(
        [
            tag("meta", charset="utf-8"),
            tag("meta", http_equiv="Content-Security-Policy", content=policy),
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("meta", name="color-scheme", content="light dark"),
            tag("meta", name="referrer", content="no-referrer"),
            tag("title", f"{shown(title)} · PARDNN"),
            Html(f"<style>{style}</style>"),
        ]
    )
    body = join(
        [
            tag("a", "Skip to the report", href="#report", class_="skip"),
            tag("header", _bar(sections), class_="bar"),
            tag("main", head, [_section(section) for section in sections], id="report"),
            tag("footer", "Made by PARDNN. This file needs no network and no other file."),
            [_data(section) for section in sections if section.data],
            Html(f"<script>{script}</script>"),
        ]
    )
    html = tag("html", tag("head", top), tag("body", body), lang="en")
    return f"<!doctype html>\n{html}\n".encode()


def _bar(sections: Sequence[Section]) -> Html:
    links = [tag("li", tag("a", section.title, href=f"#{section.key}")) for section in sections]
    button = tag("button", "Dark", type="button", id="theme", aria_pressed="false")
    return join([tag("span", "PARDNN", class_="brand"), tag("nav", tag("ul", links), aria_label="Sections"), button])


def _section(section: Section) -> Html:
    heading = tag("h2", section.title, id=f"{section.key}-title")
    return tag("section", heading, section.body, id=section.key, aria_labelledby=f"{section.key}-title")


def _data(section: Section) -> Html:
    """A block that no browser runs; base64, so that nothing in it can end it."""
    return Html(f'<script type="application/octet-stream" id="{section.key}-data">{section.data}</script>\n')


@cache
def assets(names: Sequence[str]) -> str:
    """The files of the page, one after the other."""
    folder = files("pardnn.report.html") / "assets"
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in names)


def _hash(text: str) -> str:
    """What the policy calls the hash of an element's content."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
