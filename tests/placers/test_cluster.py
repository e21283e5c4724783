import json
import socket
import threading
import time
from typing import Any

import pytest

from pardnn.errors import InputError
from pardnn.placers.address import Address, answers, await_all, await_end, is_free, is_used
from pardnn.placers.cluster import Cluster

A, B = Address("a", 2222), Address("b", 2222)


@pytest.mark.parametrize("given", [["a:2222", "b:2222"], {"worker": ["a:2222", "b:2222"]}])
def test_a_cluster_is_given_by_its_addresses(given: Any) -> None:
    assert Cluster.of(given) == Cluster((A, B), None)
    assert Cluster.of(given, 1) == Cluster((A, B), 1)


def test_else_it_is_that_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TF_CONFIG", raising=False)
    assert Cluster.of() is None
    config: dict[str, Any] = {"cluster": {"worker": ["a:2222", "b:2222"]}, "task": {"type": "worker", "index": 1}}
    monkeypatch.setenv("TF_CONFIG", json.dumps(config))
    assert Cluster.of() == Cluster((A, B), 1)
    assert Cluster.of(["a:2222"]) == Cluster((A,), None)
    del config["task"]
    monkeypatch.setenv("TF_CONFIG", json.dumps(config))
    assert Cluster.of() == Cluster((A, B), 0)
    config["cluster"]["worker"].pop()
    monkeypatch.setenv("TF_CONFIG", json.dumps(config))
    assert Cluster.of() is None, "one host is no cluster"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("a:2222", "give the workers' addresses"),
        ([], "give the workers' addresses"),
        ({"worker": ["a:1"], "ps": ["b:1"]}, "job 'ps': only workers take part"),
        (["a:2222", "b"], "'b' is no address; write it like a.example:2222"),
        (["a:0"], "'a:0' is no address"),
        (["a:65536"], "is no address"),
        (["grpc://a:1"], "is no address"),
        ([3], "3 is no address"),
        (["a:1", "a:1"], "one address is there twice"),
    ],
)
def test_what_is_no_cluster_is_refused(given: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        Cluster.of(given)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "is not like"),
        ("[]", "is not like"),
        ('{"cluster": {"worker": ["a:1"]}, "task": {"index": "x"}}', "is not like"),
        ('{"cluster": {"worker": ["a:1", "b:1"]}, "task": {"index": 2}}', "task 2 is none of the 2 workers, 0 to 1"),
        ('{"cluster": {"chief": ["a:1"]}, "task": {"type": "chief", "index": 0}}', "this process is a 'chief'"),
    ],
)
def test_a_wrong_tf_config_is_told(monkeypatch: pytest.MonkeyPatch, text: str, words: str) -> None:
    monkeypatch.setenv("TF_CONFIG", text)
    with pytest.raises(InputError, match=f"^TF_CONFIG: .*{words}"):
        Cluster.of()


@pytest.fixture
def listening() -> Any:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield server


def test_a_server_is_known_by_its_greeting(listening: socket.socket) -> None:
    address = Address(*listening.getsockname())

    def greet(words: bytes) -> None:
        there, _ = listening.accept()
        with there:
            there.sendall(words)

    for words, known in ((b"\0\0\x18\x04\0\0\0\0\0", True), (b"SSH-2.0-OpenSSH_9.2", False)):
        thread = threading.Thread(target=greet, args=(words,))
        thread.start()
        assert answers(address) is known
        thread.join()
    assert is_used(address)
    assert not is_free(address.port)
    listening.close()
    assert not answers(address)
    assert not is_used(address)


def test_who_is_missing_is_said_once_and_returned() -> None:
    said: list[int] = []
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        nobody = Address(*unused.getsockname())
    assert is_free(nobody.port)
    assert await_all([nobody], 0.6, said.append) == 0
    assert said == [0]
    assert await_all([], 0.1, said.append) is None


def test_the_end_of_a_process_is_noticed_at_once(listening: socket.socket) -> None:
    waiting = threading.Thread(target=await_end, args=(Address(*listening.getsockname()),))
    waiting.start()
    there, _ = listening.accept()
    time.sleep(0.2)
    assert waiting.is_alive()
    listening.close()
    there.close()
    waiting.join(5)
    assert not waiting.is_alive()
