"""One run of the program: arguments in, exit code out. The only place where errors become exit codes."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

import click

from pardnn.cli.group import app
from pardnn.errors import PardnnError
from pardnn.report.words import told

BUG, USAGE, INTERRUPTED, PIPE_CLOSED = 1, 2, 130, 141
_FULL = (errno.ENOSPC, errno.EDQUOT)


def run(arguments: Sequence[str]) -> int:
    """Carry out a command line; 0 done, else as README and `pardnn --help` list them."""
    _open_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a name the terminal cannot show must not end the run
    debug = "--debug" in arguments or os.environ.get("PARDNN_DEBUG", "0") not in ("", "0")
    try:
        code = app.main(list(arguments), "pardnn", standalone_mode=False, obj=tuple(arguments))
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.ClickException as error:
        return _tell(_usage(error), USAGE)
    except PardnnError as error:
        if debug:
            traceback.print_exc()
        return _tell(str(error), error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        return _tell("interrupted", INTERRUPTED)
    except SystemExit as error:  # click ends the program itself where the reader of a pipe has gone
        return _pipe_closed() if error.code else 0
    except OSError as error:
        if error.errno == errno.EPIPE:
            return _pipe_closed()
        return _full(error) if error.errno in _FULL else _bug(error, debug=debug)
    except Exception as error:  # noqa: BLE001 - whatever it is, the user gets one line
        return _bug(error, debug=debug)


def _open_streams() -> None:
    """Give a program that was started without stdout or stderr (">&-", some daemons) one that nobody reads."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))


def _usage(error: click.ClickException) -> str:
    """What is wrong with a command line, and where its right form stands."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "pardnn"
    return f"{error.format_message().rstrip('.')}; see `{command} --help`"


def _bug(error: Exception, *, debug: bool) -> int:
    """What a bug report needs, in one line: what was raised, and where."""
    if debug:
        traceback.print_exc()
    frames = traceback.extract_tb(error.__traceback__)
    where = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    what = f"{type(error).__name__}{f': {error}' if str(error) else ''}"[:400]
    if isinstance(error, MemoryError):
        return _tell(f"out of memory{where}: this graph needs a larger machine to plan on", BUG)
    advice = "" if debug else "; --debug shows how it came about"
    return _tell(f"this is a bug of ours, please report it with the output of `pardnn env`: {what}{where}{advice}", BUG)


def _tell(message: str, code: int) -> int:
    """One line on stderr, whatever a name in it holds."""
    with contextlib.suppress(OSError):  # nobody may be reading it
        print(f"pardnn: {told(message)}", file=sys.stderr, flush=True)
    return code


def _full(error: OSError) -> int:
    """Where the result was to be printed there is no room: nothing is wrong with us."""
    _drop_stdout()
    return _tell(f"the result cannot be written: {error.strerror}: free some space, or send it elsewhere", USAGE)


def _pipe_closed() -> int:
    """Quietly, as other programs do."""
    _drop_stdout()
    return PIPE_CLOSED


def _drop_stdout() -> None:
    """What is still buffered must not complain at the exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
