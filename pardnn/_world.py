"""Makes sure that the package `scheduler` is ours.

An unrelated package on PyPI has the same import name. Installed after PARDNN it overwrites our files in silence, in
front of it on the path it hides them; either way the first symptom would be an error far from the cause.
"""

from __future__ import annotations

import sys
from importlib import metadata, util
from pathlib import Path

_OURS = Path(__file__).resolve().parents[1] / "scheduler"
_MARK = 'WORLD = "pardnn"'
_MODULES = ("__init__", "dag", "machine", "memory", "schedule", "simulate", "workload")
_REINSTALL = "`pip install --force-reinstall --no-deps pardnn`"


def verify() -> None:
    """Return if `import scheduler` gives PARDNN's own package, whole; else raise ImportError that says what does.

    Nothing of a foreign package is executed. On the command line the error is one line and exit code 2.
    """
    fault = _fault()
    if fault is None:
        return
    if Path(sys.argv[0]).name in ("pardnn", "-m"):
        print(f"pardnn: {fault}", file=sys.stderr)  # noqa: T201 - the command line proper cannot be imported
        raise SystemExit(2)
    raise ImportError(fault)


def _fault() -> str | None:
    """What is wrong, in one line."""
    found = _found()
    if found is not None and found != _OURS:
        return _foreign(found, "hides")
    lacking = [name for name in _MODULES if not (_OURS / f"{name}.py").is_file()]
    if lacking:
        return f"PARDNN's own package {_OURS} is not whole, {lacking[0]}.py is missing: run {_REINSTALL}"
    if _MARK not in (_OURS / "__init__.py").read_text(errors="replace"):
        return _foreign(_OURS, "has overwritten")
    return None


def _found() -> Path | None:
    """The folder or file that `import scheduler` would load; None if there is none, or a folder without __init__.py."""
    try:
        spec = util.find_spec("scheduler")
    except ValueError:  # a module made by hand is loaded already
        return Path(getattr(sys.modules["scheduler"], "__file__", None) or "scheduler")
    if spec is None or spec.origin is None:
        return None
    origin = Path(spec.origin).resolve()
    return origin.parent if origin.name == "__init__.py" else origin


def _foreign(path: Path, deed: str) -> str:
    owner = _distribution(path / "__init__.py" if path.is_dir() else path)
    if owner is None:
        return f"{path} {deed} PARDNN's own package 'scheduler': rename it, or start Python from another folder"
    return (
        f"the distribution {owner.name} {owner.version} {deed} PARDNN's own package 'scheduler' ({path}): "
        f"run `pip uninstall {owner.name}`, then {_REINSTALL}, or keep the two in separate environments"
    )


def _distribution(file: Path) -> metadata.Distribution | None:
    """The distribution other than ours that installed the file."""
    for name in metadata.packages_distributions().get("scheduler", []):
        owner = metadata.distribution(name)
        if name != "pardnn" and any(Path(str(owner.locate_file(f))).resolve() == file for f in owner.files or ()):
            return owner
    return None
