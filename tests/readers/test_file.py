import gzip
import hashlib
from pathlib import Path
from random import Random

import pytest

from pardnn.errors import InputError
from pardnn.readers.file import Form, load, sniff


def test_a_file_is_unpacked_and_named_by_the_bytes_on_disk(tmp_path: Path) -> None:
    packed = gzip.compress(b"node { }")
    (tmp_path / "g").write_bytes(packed)
    file = load(tmp_path / "g")
    assert (file.data, file.gzip, file.sha256) == (b"node { }", True, hashlib.sha256(packed).hexdigest())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n", "git lfs pull"),
        (gzip.compress(b"node { }" * 100)[:-9], "gzip is damaged or cut off"),
        (b"\x1f\x8bnonsense", "gzip is damaged or cut off"),
    ],
)
def test_what_cannot_be_unpacked_says_what_to_do(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "g").write_bytes(content)
    with pytest.raises(InputError, match=message):
        load(tmp_path / "g")


def test_a_gzip_bomb_is_refused_before_it_fills_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pardnn.readers.file.LARGEST_UNPACKED", 2**20)
    monkeypatch.setattr("pardnn.readers.file._PART", 2**10)
    (tmp_path / "g").write_bytes(gzip.compress(bytes(2**20)) + gzip.compress(bytes(2**20)))
    with pytest.raises(InputError, match=r"g: its .* KiB unpack to more than 1.00 MiB, as no graph does"):
        load(tmp_path / "g")


def test_a_gzip_that_is_large_or_well_packed_but_not_both_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "g").write_bytes(gzip.compress(bytes(2**20)))
    assert load(tmp_path / "g").data == bytes(2**20)
    monkeypatch.setattr("pardnn.readers.file.LARGEST_UNPACKED", 2**10)
    random = Random(1).randbytes(2**12)
    (tmp_path / "g").write_bytes(gzip.compress(random) + gzip.compress(b"more") + bytes(8))
    assert load(tmp_path / "g").data == random + b"more"


@pytest.mark.parametrize("name", ["absent", ".", "nul\0"])
def test_what_cannot_be_opened(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"cannot be read|no name of a file"):
        load(f"{tmp_path}/{name}")


@pytest.mark.parametrize(
    ("data", "form"),
    [
        (b"", Form.BINARY),
        (b"node {", Form.TEXT),
        (b"# a comment\n\n  versions {", Form.TEXT),
        (b"\xef\xbb\xbfnode: <", Form.TEXT),
        (b"plain prose", Form.TEXT),
        (b"node { name: '\x01' }", Form.TEXT),
        (b"node { name: '\xff' }", Form.TEXT),
        (b' {"time": []}', Form.JSON),
        (b"\n\x08\n\x01a\x12\x03Add", Form.BINARY),
        # A node of 112 bytes whose name has 58: "\n p \n :", which looks like a field called p.
        (b"\np\n:" + b"x" * 58 + b"\x12\x32" + b"y" * 50, Form.BINARY),
    ],
)
def test_the_form_of_the_content(data: bytes, form: Form) -> None:
    assert sniff(data, "g") is form


@pytest.mark.parametrize("magic", [b"\x89PNG\r\n", b"PK\x03\x04", b"\x89HDF\r\n\x1a\n", b"\xff\xfen\0o\0", b"<html>"])
def test_other_kinds_of_files_are_named(magic: bytes) -> None:
    with pytest.raises(InputError, match=r"^g: is .*; a graph .* is needed$"):
        sniff(magic + b"...", "g")
