"""Every shared file is read or refused as its README says; TensorFlow and networkx count the same."""

from pathlib import Path

import pytest

from tests.real.counted import REFUSED, documented, look, tensorflow_counts

LARGE = ("gnmt", "deep", "resnet50")


def test_the_readme_lists_what_it_should(shared: Path) -> None:
    said = documented(shared / "data" / "README.md")
    assert len(said) == 47
    assert tuple(said["ssd_hikapok_graph.pbtxt"]) == (5699, 9066, 0, 0, 8)
    assert {path.name for path in shared.glob("data/graphs/*/*")} >= REFUSED.keys()


@pytest.mark.slow
@pytest.mark.usefixtures("tensorflow")
def test_every_file_ends_and_counts_as_it_must(shared: Path) -> None:
    said = documented(shared / "data" / "README.md")
    paths = [path for path in sorted(shared.glob("data/graphs/*/*")) if not any(part in path.name for part in LARGE)]
    rows = [look(path, said) for path in paths]
    assert {row.path.name: row.faults for row in rows if row.faults} == {}
    read = [row for row in rows if row.counts and row.path.stat().st_size < 1_000_000]  # protobuf reads text slowly
    theirs = tensorflow_counts([row.path for row in read])
    assert [row.counts for row in read] == list(theirs)
    assert len(read) > 40
