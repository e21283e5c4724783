"""How to get the same result again."""

from __future__ import annotations

from pardnn.report.html.markup import Part, join, table, tag
from pardnn.report.html.origin import Origin
from pardnn.report.html.page import Section


def reproduce(origin: Origin) -> Section:
    """Command, input, options, machine, versions."""
    rows: list[list[Part]] = [[key, tag("td", value, class_="words")] for key, value in origin.facts]
    rows += [[f"version of {key}", tag("td", value, class_="words")] for key, value in origin.versions.items()]
    body = join(
        [
            tag("pre", tag("code", origin.command), tabindex="0"),
            table(["what", "value"], rows, left=2, caption="What the result depends on", class_="pairs"),
        ]
    )
    return Section("reproduce", "How to reproduce", body)
