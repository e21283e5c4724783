#!/usr/bin/env python3
"""Train what `--costs learned` predicts with, from the published tables: some minutes of one processor.

    scripts/train_learned.py --shared FOLDER [--family NAME]... [--epochs X]

Writes pardnn/cost/learned/weights.npz, which ships, and scripts/learning/left_out.npz: networks that saw nothing of one
device each, for the benchmark and for the bands on devices not seen. Rows of the test parts are used for nothing.
--family leaves the others as they are; --epochs 0.1 trains a tenth of the usual epochs.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from pardnn.cost.learned import store  # noqa: E402
from pardnn.cost.learned.family import Family, quantile  # noqa: E402
from scripts.learning import fit, paper, tables  # noqa: E402

LEFT_OUT = ROOT / "scripts" / "learning" / "left_out.npz"
PAPER = ROOT / "scripts" / "learning" / "paper.npz"
KNOWN, UNSEEN = 0.92, 0.95
"""Shares of the rows kept out that the bands hold: more than the 90 % promised, for what comes is never quite alike."""


def main() -> int:
    """Train, calibrate, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, required=True)
    parser.add_argument("--family", action="append", choices=[*store.RULES, "paper"])
    parser.add_argument("--epochs", type=float, default=1.0)
    asked = parser.parse_args()
    perf = asked.shared / "data" / "perf"
    names = asked.family or [*store.RULES, "paper"]
    families = store.load(store.SHIPPED) if store.SHIPPED.exists() else {}
    left_out = store.load(LEFT_OUT) if LEFT_OUT.exists() else {}
    for name in names:
        start, used = time.time(), time.process_time()
        if name == "paper":
            PAPER.write_bytes(paper.save(paper.trained(tables.justus(perf), asked.epochs)))
        else:
            left_out = {key: family for key, family in left_out.items() if not key.startswith(f"{name}.")}
            families[name], others = _learn(name, perf, asked.epochs)
            left_out |= others
            store.SHIPPED.write_bytes(store.save(families))
            LEFT_OUT.write_bytes(store.save(left_out))
        print(f"{name}: {time.time() - start:.0f} s, of a processor {time.process_time() - used:.0f} s", flush=True)
    return 0


def _learn(name: str, perf: Path, share: float) -> tuple[Family, dict[str, Family]]:
    """The family and, by "family.device", those that saw nothing of one device, each with its figures calibrated."""
    plan = fit.PLANS[name]
    train, choose = fit.parts(name, perf)
    left_out, doubts = {}, []
    for chip in plan.left_out:
        apart = train.on(*tables.CHIPS[chip])
        seen, unseen = train.take(~apart), train.take(apart)
        family = fit.family(name, seen, replace(plan, members=1, epochs=plan.alone), share)
        left_out[f"{name}.{chip}"] = family
        found = family.doubts(unseen.ms, unseen.rows, unseen.devices)
        doubts.append(found)
        error = 100 * np.mean(np.abs(family.predict(unseen.rows, unseen.devices).ms / unseen.ms - 1))
        print(f"  {name} without {chip}: mean error {error:.1f} %", flush=True)
    family = fit.family(name, train, plan, share)
    known = quantile(family.doubts(choose.ms, choose.rows, choose.devices), KNOWN)
    unseen_doubts = quantile(np.concatenate(doubts), UNSEEN)
    error = 100 * np.mean(np.abs(family.predict(choose.rows, choose.devices).ms / choose.ms - 1))
    print(
        f"  {name}: rows to choose with: mean error {error:.2f} %, doubts {known:.2f}, {unseen_doubts:.2f}", flush=True
    )
    done = replace(family, doubts_known=known, doubts_unseen=max(known, unseen_doubts))
    return done, {key: replace(one, doubts_known=known, doubts_unseen=unseen_doubts) for key, one in left_out.items()}


if __name__ == "__main__":
    sys.exit(main())
