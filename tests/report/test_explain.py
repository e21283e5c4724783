"""The sentences about an op."""

from dataclasses import replace

from pardnn.report.explain import Explanation, Move, Traffic, sentences

WHY = Explanation(
    op="net/x", kind="MatMul", device="GPU:0", time_us=5.0, start_us=1.0, slack_us=2.0, makespan_us=10.0, pinned="",
    group=(), traffic=[Traffic("GPU:1", 2, 2048, 0, 0), Traffic("GPU:0", 0, 0, 1, 0)],
    moves=[Move("GPU:1", 1.0, 1024, True), Move("GPU:2", -1.0, 2048, False)],
)  # fmt: skip
HELD = "GPU:1 would hold 1.00 KiB at its peak.", "GPU:2 would hold 2.00 KiB at its peak, more than fits."


def test_every_fact_has_its_sentence() -> None:
    assert sentences(WHY) == [
        "net/x (MatMul) sits on GPU:0.",
        "It runs for 5.00 us, from 1.00 us into a step of 10.0 us.",
        "It is not critical: it could end 2.00 us later and the step would take as long.",
        "It reads 2 inputs on GPU:1 (2.00 KiB).",
        "It feeds 1 reader on GPU:0 (0 B).",
        "Second best: with the op on GPU:1 the step would take 1.00 us (10 %) longer; " + HELD[0],
        "Else: with the op on GPU:2 the step would take 1.00 us (10 %) less; " + HELD[1],
    ]


def test_a_large_group_is_told_by_its_first_names() -> None:
    said = sentences(replace(WHY, group=[f"n{i}" for i in range(9)]))
    assert "It must share its device with 9 ops: n0, n1, n2, n3 and 5 more." in said
    assert said[-1].startswith("Else: with the group on GPU:2 ")


def test_pinned_alone_and_idle() -> None:
    assert sentences(replace(WHY, pinned="it has no GPU kernel", traffic=[], moves=[], slack_us=0.0))[2:] == [
        "It is critical: each moment it takes longer, the step takes longer.",
        "It may sit nowhere else: it has no GPU kernel.",
        "It reads nothing.",
        "It feeds nothing.",
    ]
    assert sentences(replace(WHY, moves=[]))[-1] == "There is no other GPU."
