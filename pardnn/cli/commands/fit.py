"""`pardnn fit`: what drives the time of runs, from a table of them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from pardnn.cli import options
from pardnn.cli.voice import Voice
from pardnn.errors import CUT_SHORT

if TYPE_CHECKING:
    from pardnn.fit.model import Model, Prediction
    from pardnn.fit.table import Table


@click.command(short_help="What drives the time of runs: a model of any table of them.")
@click.argument("runs", metavar="RUNS.csv")
@click.option("--target", metavar="COLUMN", help="What is to be predicted: a time, or anything above 0.")
@click.option("--intrinsic", metavar="COLUMN,...", help="Columns of the algorithm: layers, kernel size, ...")
@click.option("--extrinsic", metavar="COLUMN,...", help="Columns of the machine and the scale: GPUs, batch, ...")
@click.option("--categorical", metavar="COLUMN,...", help="Columns that hold kinds: each kind gets a factor.")
@click.option("--ignore", metavar="COLUMN,...", help="Columns to leave out.")
@click.option("--assume", metavar="COLUMN=POWER,...", help="Columns that the whole time goes with by a known power.")
@click.option("--terms", default="auto", show_default=True, metavar="auto|N", help="How many products.")
@click.option("--test-rows", metavar="FILE", help="Rows to predict: a CSV, or numbers of rows of RUNS.csv, from 0.")
@click.option("-o", "--output", metavar="FILE.csv", help="Write the test rows with predictions and intervals.")
@click.option("--model", "save", metavar="FILE.json", help="Write the model, for --use.")
@click.option("--use", "used", metavar="FILE.json", help="Fit nothing: predict the rows of RUNS.csv by this model.")
@click.option("--plot", metavar="FILE.png", help="Draw measured beside predicted.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="Of all that is drawn.")
@click.option("--time-limit", metavar="TIME", help="Stop with the best so far (exit 4), such as 30s.")
@options.html
@options.force
@options.speech
def command(runs: str, used: str | None, as_json: bool, quiet: bool, verbose: bool, **given: Any) -> int:
    """Fit a model to a table of runs, of any framework: the time as a constant and a sum of products of powers.

    Without --intrinsic and --extrinsic every column counts; columns of text are kinds then. The number of products is
    chosen by cross-validation, every power comes with a 95 % interval, every prediction with a 90 % one.

    \b
    pardnn fit runs.csv --target time
    pardnn fit runs.csv --target time --intrinsic layers,width --extrinsic gpus,batch --categorical card
    pardnn fit runs.csv --target time --test-rows held_out.csv -o predictions.csv --model model.json
    pardnn fit --use model.json new.csv -o predictions.csv

    Errors are relative: |predicted - measured| / measured, on average. Rows that --test-rows lists by number are not
    learned from. The same table and seed give the same bytes, unless the time limit was reached.
    """  # noqa: D301 - click looks for the sign itself
    from pardnn.cli.outputs import Outputs

    voice = Voice(as_json, quiet, verbose)
    outputs = [path for path in (given["output"], given["save"], given["plot"], given["html"]) if path is not None]
    inputs = [path for path in (runs, used, given["test_rows"]) if path is not None]
    Outputs.named(inputs, outputs, force=given["force"])  # raises before the work
    return _use(voice, runs, used, **given) if used else _fit(voice, runs, **given)


def _fit(voice: Voice, runs: str, *, test_rows: str | None, output: str | None, **given: Any) -> int:
    from pardnn.answers import runs as answers
    from pardnn.fit.design import design
    from pardnn.fit.fitting import fit
    from pardnn.report.fit import fit_report
    from pardnn.report.words import bar
    from pardnn.units import parse_time

    asked = _asked(**given)
    if output and not test_rows:
        raise click.UsageError("-o holds predictions: name the rows with --test-rows, or a model with --use")
    terms = _terms(given["terms"])
    limit = parse_time(given["time_limit"]) / 1e9 if given["time_limit"] else float("inf")
    table, new = _tables(runs, test_rows)
    if new is not None:  # what cannot be predicted is told now, not after the search
        made, _ = design(table, asked)
        made.encode(new)
        made.scale(new)
    started = time.perf_counter()

    def late() -> bool:
        return time.perf_counter() - started > limit

    with voice.progress(line_every_s=20) as tell:
        fitted = fit(table, asked, terms, given["seed"], late, lambda share, doing: tell(f"{bar(share)} {doing}"))
    model, found = fitted.model, answers.fit_result(fitted, table)
    guessed: Prediction | None = None
    if new is not None:
        guessed = model.predict(new)
        found |= answers.scored(model, table, new, guessed)
        found["warnings"] += answers.doubts(model, table, new, guessed)
    if late():
        found["warnings"].append(f"the time limit of {given['time_limit']} was reached: this is the best so far")
    _write(found, model, table, new, guessed, output, given)
    voice.warn(found["warnings"])
    if voice.as_json:
        voice.dump(found)
    else:
        voice.show(fit_report(found, runs), *_wrote(found))
    return CUT_SHORT if late() else 0


def _use(voice: Voice, runs: str, used: str, *, output: str | None, **given: Any) -> int:
    """Predict by a model that was saved."""
    from pardnn.answers import runs as answers
    from pardnn.fit.model import read_model
    from pardnn.placers.atomic import write_files
    from pardnn.readers.file import load
    from pardnn.report.fit import predictions_report

    unfit = (
        "target", "intrinsic", "extrinsic", "categorical", "ignore", "assume", "test_rows", "save", "plot", "html",
        "time_limit",
    )  # fmt: skip
    if idle := [name for name in unfit if given[name]]:
        raise click.UsageError(f"--{idle[0].replace('_', '-').replace('save', 'model')} does not go with --use")
    model = read_model(load(used).data, used)
    new = _table(runs)
    guessed = model.predict(new)
    figures = (guessed.value.tolist(), guessed.low.tolist(), guessed.high.tolist())
    found: dict[str, Any] = {
        "format": "pardnn-predictions/1",
        "target": model.design.target,
        "predictions": [dict(zip(answers.ADDED, row, strict=True)) for row in zip(*figures, strict=True)],
        **answers.scored(model, None, new, guessed),
        "warnings": answers.doubts(model, None, new, guessed),
        "outputs": [output] if output else [],
    }
    if output:
        write_files([(output, answers.predictions(new, guessed))], force=given["force"])
    voice.warn(found["warnings"])
    if voice.as_json:
        voice.dump(found)
    else:
        rows = [
            (str(line), *(f"{value:.4g}" for value in row), ", ".join(beyond))
            for line, *row, beyond in zip(new.lines, *figures, guessed.outside, strict=True)
        ]
        voice.show(predictions_report(rows, len(rows)), *_wrote(found))
    return 0


def _asked(**given: Any) -> Any:
    from pardnn.fit.design import Asked

    if not given["target"]:
        raise click.UsageError("--target COLUMN is missing: what is to be predicted?")
    named = {name: options.listed(given[name]) for name in ("intrinsic", "extrinsic", "categorical", "ignore")}
    roles = {name: named[name] if given[name] is not None else None for name in ("intrinsic", "extrinsic")}
    return Asked(
        given["target"], **roles, categorical=named["categorical"], ignore=named["ignore"],
        assume=_powers(given["assume"]),
    )  # fmt: skip


def _powers(text: str | None) -> tuple[tuple[str, float], ...]:
    """The columns and powers of --assume."""
    from pardnn.fit.table import number

    found = []
    for part in options.listed(text):
        name, _, power = part.rpartition("=")
        value = number(power)
        if not name or value is None:
            raise click.UsageError(f"--assume {part}: write COLUMN=POWER, such as tokens=1")
        found.append((name.strip(), value))
    return tuple(found)


def _terms(text: str) -> int | None:
    if text == "auto":
        return None
    if not text.isdecimal() or not int(text):
        raise click.UsageError(f"--terms {text}: is neither auto nor a number from 1 on")
    return int(text)


def _table(path: str) -> Table:
    from pardnn.fit.table import parse_table
    from pardnn.readers.file import load

    return parse_table(load(path).data, path)


def _tables(runs: str, test_rows: str | None) -> tuple[Table, Table | None]:
    """The rows to learn from and those to predict."""
    from pardnn.answers.runs import row_numbers, split
    from pardnn.readers.file import load

    table = _table(runs)
    if test_rows is None:
        return table, None
    numbers = row_numbers(load(test_rows).data)
    return split(table, numbers, test_rows) if numbers is not None else (table, _table(test_rows))


def _write(
    found: dict[str, Any], model: Model, table: Table, new: Table | None, guessed: Prediction | None,
    output: str | None, given: dict[str, Any],
) -> None:  # fmt: skip
    """All files or none."""
    from pardnn.answers.runs import predictions
    from pardnn.cli.pages import fitted
    from pardnn.placers.atomic import write_files
    from pardnn.report.fit_plot import fit_plot

    files: list[tuple[str, bytes]] = []
    if output and new is not None and guessed is not None:
        files.append((output, predictions(new, guessed)))
    if given["save"]:
        files.append((given["save"], model.to_json()))
    if given["plot"] or given["html"]:
        target = model.design.target
        learned = (table.numbers(target).tolist(), model.predict(table).value.tolist())
        points = None
        if new is not None and guessed is not None and "test_median" in found:
            points = (new.numbers(target).tolist(), *(x.tolist() for x in (guessed.value, guessed.low, guessed.high)))
        if given["plot"]:
            files.append((given["plot"], fit_plot(target, learned, points)))
        if given["html"]:
            page = fitted(found, table.path, learned, points[:2] if points else None, given["seed"])
            files.append((given["html"], page))
    write_files(files, force=given["force"])
    found["outputs"] = [path for path, _ in files]


def _wrote(found: dict[str, Any]) -> list[str]:
    return [f"wrote {', '.join(found['outputs'])}"] if found["outputs"] else []
