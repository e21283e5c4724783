"""What may be fed to a placeholder, seen from where its values go."""

from pardnn.graph.feeds import Feed, feeds
from pardnn.graph.raw import DType, RawNode, Shape, TensorInfo
from tests.cost.factories import INT32, make_graph, node


def ints(name: str, op: str, inputs: str = "", *shapes: tuple[int, ...]) -> RawNode:
    return node(name, op, inputs, *shapes, dtype=INT32, T=INT32, DstT=INT32, Tindices=INT32)


def of(*nodes: RawNode) -> dict[str, Feed]:
    return {feed.name: feed for feed in feeds(make_graph(*nodes))}


TABLE = node("table", "Placeholder", "", (1000, 64))


def test_tokens_index_the_embedding_they_go_to() -> None:
    """tokens -> Reshape -> Gather(table): below the table's rows."""
    found = of(TABLE, ints("tokens", "Placeholder", "", (32, 5)), ints("flat", "Reshape", "tokens shape", (160,)),
               ints("shape", "Const", "", (1,)), node("e", "GatherV2", "table flat", (160, 64)))  # fmt: skip
    assert (found["tokens"].below, found["tokens"].whole, found["table"].below) == (1000, True, None)


def test_tokens_fed_as_fractions_are_still_tokens() -> None:
    found = of(TABLE, node("tokens", "Placeholder", "", (32, 5)), ints("whole", "Cast", "tokens", (32, 5)),
               node("e", "GatherV2", "table whole", (32, 5, 64)))  # fmt: skip
    assert found["tokens"].below == 1000
    assert not found["tokens"].whole


def test_labels_are_below_the_classes_and_the_smallest_bound_counts() -> None:
    depth = node("depth", "Const", "", (), value=TensorInfo(DType(3), Shape(()), (7,)))
    found = of(node("logits", "Placeholder", "", (32, 10)), ints("labels", "Placeholder", "", (32,)), depth,
               node("loss", "SparseSoftmaxCrossEntropyWithLogits", "logits labels", (32,), (32, 10)),
               node("hot", "OneHot", "labels depth logits logits", (32, 7)))  # fmt: skip
    assert found["labels"].below == 7
    assert found["logits"].below is None


def test_a_length_decides_how_much_is_done() -> None:
    found = of(ints("n", "Placeholder", "", ()), ints("r", "Range", "n n n", (-1,)),
               ints("free", "Placeholder", "", ()), ints("sum", "AddV2", "free free", ()))  # fmt: skip
    assert found["n"].decides == "r"
    assert found["free"].decides is None
