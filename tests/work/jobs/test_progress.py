"""How far a job of two seeds and four epochs is, attnviz/work/jobs/seen.py."""

import pytest

from attnviz.training import runs
from attnviz.training.durations import Duration
from attnviz.work.jobs import table
from attnviz.work.jobs.seen import Progress, progress_of


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        ([], Progress(0.0, 5, 0, 4, None)),
        ([("running", 1, 0.5)], Progress(1.5 / 8, 5, 1, 4, 6.5 * 2)),
        ([("finished", 3, 0.0)], Progress(0.5, 5, 3, 4, 4 * 2)),  # it stopped early: its fourth epoch will not come
        ([("finished", 4, 0.0), ("running", 2, "much")], Progress(0.75, 6, 2, 4, 2 * 2)),
        ([None, ("running", 2, 0.0)], Progress(0.25, 6, 2, 4, 6 * 2)),  # another job trained the second seed
    ],
)
def test_epochs_that_are_done_and_the_share_of_the_next(tmp_path, monkeypatch, states, expected):
    class Made:
        epochs = 4

    class Order:
        seeds = (5, 6)

        def made(self):
            return Made

    known = {f"a.b.{seed}": one for seed, one in zip(Order.seeds, states, strict=False) if one}
    monkeypatch.setattr(table, "read", lambda job: Order())
    monkeypatch.setattr(table, "runs_of", lambda job: list(known))
    monkeypatch.setattr(runs, "status", lambda run: {"state": known[run][0], "share": known[run][2]})
    monkeypatch.setattr(runs, "curve", lambda run: [None] * known[run][1])
    monkeypatch.setattr(runs, "durations", lambda run: [Duration(2.0, 1.0)] * known[run][1])
    monkeypatch.setattr(runs, "read", lambda run: type("Info", (), {"seed": int(run[-1])}))
    assert progress_of("a.b") == expected
