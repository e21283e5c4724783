"""Pages of the documentation that are made from the program, and links that lead out of the site: mkdocs calls this."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

import click

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # an uninstalled checkout knows its own program
_PUBLIC = re.compile(r"^::: pardnn\.(\w+)$", re.MULTILINE)
_OUT = re.compile(r"\[([^\]]+)\]\(((?:\.\./)+[^)#]*)(#[^)]*)?\)")


def on_config(config: Any) -> Any:
    """Pages that the navigation does not name stand at its end: a new page needs no second place to be written in."""
    docs = Path(config["docs_dir"])
    pages = sorted(page.relative_to(docs).as_posix() for page in docs.rglob("*.md"))
    if rest := [page for page in pages if page not in set(_named(config["nav"]))]:
        config["nav"].append({"More": rest})
    return config


def _named(nav: Any) -> Iterator[str]:
    """The pages in a navigation of lists and sections."""
    if isinstance(nav, str):
        yield nav
    for part in nav.values() if isinstance(nav, dict) else nav if isinstance(nav, list) else ():
        yield from _named(part)


def on_files(files: Any, config: Any) -> Any:
    """The pages of the site, with the reference of commands among them."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, "reference/commands.md", content=commands_page()))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Links to files of the repository that are no pages of the site become the files' names."""
    here = Path(config["docs_dir"]) / Path(page.file.src_uri).parent

    def plain(link: re.Match[str]) -> str:
        target = (here / link[2]).resolve()
        if target.is_relative_to(Path(config["docs_dir"]).resolve()):
            return link[0]
        return f"{link[1]} (`{target.relative_to(ROOT)}`)"

    return _OUT.sub(plain, _PUBLIC.sub(lambda name: _homes().get(name[1], name[0]), markdown))


@cache
def _homes() -> dict[str, str]:
    """The line that asks for each public name: where it is defined."""
    import pardnn

    found = {name: getattr(pardnn, name) for name in pardnn.__all__}
    found["LivePlan"] = get_type_hints(pardnn.place)["return"]
    return {name: f"::: {what.__module__}.{what.__qualname__}" for name, what in found.items()}


def commands_page() -> str:
    """Every command's usage, text and options, as `--help` has them."""
    from pardnn.cli.group import app

    context = click.Context(app, info_name="pardnn", max_content_width=100, terminal_width=100)
    parts = ["# Commands", "Each of them as `pardnn COMMAND --help` says it.", _help(app, context)]
    for name in app.list_commands(context):
        command = app.get_command(context, name)
        assert command is not None
        inner = click.Context(command, info_name=name, parent=context, max_content_width=100, terminal_width=100)
        parts += [f"## pardnn {name}", _help(command, inner)]
    return "\n\n".join(parts) + "\n"


def _help(command: click.Command, context: click.Context) -> str:
    return f"```text\n{command.get_help(context)}\n```"
