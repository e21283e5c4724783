"""Output files: whole or absent, never over another unless asked."""

import errno
import os
import stat
from pathlib import Path

import pytest

from pardnn.errors import InputError
from pardnn.placers.atomic import refuse_existing, write_file, write_files


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_written_with_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    write_file(tmp_path / "out", b"x" * 100_000)
    (tmp_path / "other").touch()
    assert (tmp_path / "out").read_bytes() == b"x" * 100_000
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "other").stat().st_mode
    assert names(tmp_path) == ["other", "out"]


def test_an_existing_file_is_kept_unless_forced(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_bytes(b"old")
    out.chmod(0o640)
    with pytest.raises(InputError, match="out: exists already; --force"):
        refuse_existing(out)
    with pytest.raises(InputError, match="out: exists already; --force"):
        write_file(out, b"new")
    assert out.read_bytes() == b"old"
    write_file(out, b"new", force=True)
    assert out.read_bytes() == b"new"
    assert stat.S_IMODE(out.stat().st_mode) == 0o640
    assert names(tmp_path) == ["out"]


def test_a_file_that_appears_meanwhile_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda number: (out.write_bytes(b"theirs"), fsync(number)))
    with pytest.raises(InputError, match="exists already"):
        write_file(out, b"ours")
    assert out.read_bytes() == b"theirs"
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("force", [True, False])
def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, force: bool) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    if force:
        (tmp_path / "out").write_bytes(b"old")
    with pytest.raises(InputError, match="out: cannot be written: No space left on device"):
        write_file(tmp_path / "out", b"new", force=force)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == ([("out", b"old")] if force else [])


def test_an_interruption_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", stop)
    with pytest.raises(KeyboardInterrupt):
        write_file(tmp_path / "out", b"new")
    assert names(tmp_path) == []


def test_a_link_stays_and_what_it_points_at_is_written(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "out"
    target.write_bytes(b"old")
    link = tmp_path / "link"
    link.symlink_to(target)
    with pytest.raises(InputError, match="link: exists already"):
        write_file(link, b"new")
    write_file(link, b"new", force=True)
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    target.unlink()
    write_file(link, b"dangling")
    assert target.read_bytes() == b"dangling"


def test_a_device_is_written_to(tmp_path: Path) -> None:
    write_file("/dev/null", b"gone")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("absent/out", "there is no directory .*absent; make it first"),
        (".", "is a directory"),
        ("file/out", "cannot be written|there is no directory"),
        ("x" * 300, "cannot be written: .*File name too long"),
        ("nul\0", "cannot be written"),
    ],
)
def test_where_nothing_can_be_written(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=message) as error:
        write_file(f"{tmp_path}/{name}", b"x", force=True)
    assert "\n" not in str(error.value)
    assert names(tmp_path) == ["file"]


def test_of_several_files_none_appears_where_one_is_taken_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda number: (two.write_bytes(b"theirs"), fsync(number)))
    monkeypatch.setattr("pardnn.placers.atomic.refuse_existing", lambda *_, **__: None)
    with pytest.raises(InputError, match="two: exists already"):
        write_files([(one, b"ours"), (two, b"ours")])
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"two": b"theirs"}


@pytest.mark.parametrize("links", [True, False])
def test_several_files_are_replaced_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool) -> None:
    def unsupported(*_: object) -> None:
        raise OSError(errno.EPERM, "no hard links here")

    if not links:
        monkeypatch.setattr(os, "link", unsupported)
    (tmp_path / "one").write_bytes(b"old")
    write_files([(tmp_path / "one", b"1"), (tmp_path / "two", b"2"), ("/dev/null", b"3")], force=True)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"one": b"1", "two": b"2"}


def test_a_stream_that_fails_takes_the_files_back(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(b"old")
    with pytest.raises(InputError, match="/dev/full: cannot be written: No space left"):
        write_files([("/dev/full", b"x"), (tmp_path / "one", b"new"), (tmp_path / "two", b"new")], force=True)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"one": b"old"}
