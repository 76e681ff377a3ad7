"""One training by several processes, attnviz/training/together.py. Two are really started, on loopback."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from attnviz import cards
from attnviz.__main__ import main
from attnviz.errors import BadInput, RunError
from attnviz.training import runs, together
from attnviz.training.loop import Training
from attnviz.training.together import ALONE, Several
from tests.training import small, two

pytestmark = pytest.mark.xdist_group("together")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return the folder in which two processes have left what they trained together."""
    folder = tmp_path_factory.mktemp("together")
    words = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "tests.training.two"]
    root = str(Path(__file__).parents[2])
    outside = {"GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1", "PYTHONPATH": root}
    child = subprocess.Popen(
        [sys.executable, *words, str(folder)], env={**os.environ, **outside}, cwd=root, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        said = child.communicate(timeout=180)[0]
    finally:
        child.terminate()  # torchrun ends its processes first
        child.wait()
    assert child.returncode == 0, said
    yield folder


@pytest.mark.parametrize(("dtype", "most"), [("float32", 1e-5), ("float64", 1e-12)])
def test_two_processes_learn_the_weights_of_one_to_rounding(shared, dtype, most):
    alone = two.training(two.DTYPES[dtype])
    before = {name: tensor.clone() for name, tensor in alone.model.state_dict().items()}
    events = list(alone.run())
    assert len([event for event in events if hasattr(event, "done")]) == two.STEPS
    first, second = (load_file(shared / f"{dtype}.{rank}.safetensors") for rank in (0, 1))
    for name, tensor in alone.model.state_dict().items():
        assert torch.equal(first[name], second[name])
        torch.testing.assert_close(first[name], tensor, rtol=0, atol=most)
        assert torch.equal(tensor, before[name]) == (name == "unused")
        assert (first[name] - before[name]).abs().max() > 0.01 or name == "unused"


def test_the_curve_holds_the_mean_over_all_pictures(shared):
    expected = [event.values["train_loss"] for event in two.training(torch.float64).run() if hasattr(event, "values")]
    for rank in (0, 1):
        found = eval((shared / f"float64.{rank}.txt").read_text())
        assert found == pytest.approx(expected, rel=1e-6)  # losses are kept in single precision


def test_an_interrupted_run_of_two_gives_bit_for_bit_the_same(shared):
    assert [(shared / f"ended.{rank}.txt").read_text() for rank in (0, 1)] == ["[True, False, True]"] * 2
    (whole,), (apart,) = ([*(shared / name / "runs").glob("pixel*")] for name in ("whole", "apart"))
    for name in ("curve.jsonl", *(f"weights-{epoch}.safetensors" for epoch in (1, 2, 3))):
        assert (whole / name).read_bytes() == (apart / name).read_bytes()
    assert [len([*home.glob("lock")]) for home in (whole, apart)] == [1, 1]


def test_within_an_epoch_the_others_end_where_the_first_one_does(shared):
    assert [(shared / f"left.{rank}.txt").read_text() for rank in (0, 1)] == ["2", "-2"]


def test_within_an_epoch_processes_send_each_other_gradients_and_nothing_else(monkeypatch):
    sent = []
    monkeypatch.setattr(Several, "_add", staticmethod(lambda numbers: sent.append(len(numbers))))
    monkeypatch.setattr(Several, "_go_on", lambda *_: bool(sent.append("go on?")) or True)
    monkeypatch.setattr(Several, "shared", lambda _, make: make())
    monkeypatch.setattr(Several, "add", lambda _, totals: totals)
    alone, several = two.training(torch.float64), two.training(torch.float64, Several(0, 1))
    for _ in zip(alone.run(), several.run(), strict=True):
        pass
    numbers = sum(parameter.numel() for parameter in several.model.parameters())
    assert sent == 4 * [*3 * [numbers + 5 + 1], "go on?", "go on?"]
    for one, other in zip(alone.model.parameters(), several.model.parameters(), strict=True):
        assert torch.equal(one, other)


def test_the_run_names_its_processes_and_another_number_is_refused(shared):
    (home,) = (shared / "whole" / "runs").glob("pixel*")
    info = runs.parsed(home / "run.json")
    assert info.processes == 2
    assert info.command == "torchrun --nproc-per-node 2 -m attnviz train"
    with pytest.raises(RunError, match="with another number of processes. Resume it as it was started"):
        two.run(shared / "whole")


def test_a_run_of_one_process_says_nothing_of_processes(tmp_path):
    assert two.run(tmp_path, chosen=small.recipe("pixel_line", epochs=1))
    (path,) = (tmp_path / "runs").glob("*/run.json")
    assert "processes" not in path.read_text()


def test_all_processes_get_the_card_that_the_first_one_writes(shared):
    path = shared / "checkpoints/pixel_attention.small/card.json"
    card = cards.parsed(path.read_bytes(), path)
    assert [(shared / f"card.{rank}.txt").read_text() for rank in (0, 1)] == [card.weights_digest] * 2
    assert card.command.startswith("torchrun --nproc-per-node 2 -m attnviz train pixel_attention --recipe small")


def test_batch_normalisation_is_refused_by_all_of_them(shared):
    for rank in (0, 1):
        said = (shared / f"refused.{rank}.txt").read_text()
        assert said == (
            "2 processes cannot train pixel_line.small together: the model normalises by batch, and each would see "
            "only its part. Train it without torchrun."
        )


def test_an_objective_that_looks_at_a_batch_as_a_whole_is_refused():
    chosen = small.recipe("recurrent_attention", objective="reinforcement", objective_config={"floor": 0.2}, config={})
    with pytest.raises(BadInput, match="its objective needs the whole batch"):
        Training(two.Net(torch.float32), chosen, small.examples(31), None, torch.Generator(), together=Several(0, 2))


@pytest.mark.parametrize(("pictures", "sizes"), [(15, [5, 5, 5]), (16, [6, 6, 4]), (1, [1, 0, 0]), (4, [2, 2, 0])])
def test_the_parts_are_the_batch(pictures, sizes):
    batch = small.examples(pictures)
    parts = [Several(rank, 3).part(batch) for rank in range(3)]
    assert [len(part) for part in parts] == sizes
    assert torch.equal(torch.cat([part.images for part in parts]), batch.images)
    assert ALONE.part(batch) is batch


def test_each_process_draws_its_own_numbers_and_leaves_the_training_s_generator_alone():
    generator = torch.Generator().manual_seed(3)
    before = generator.get_state()
    drawn = [
        tuple(torch.rand(4, generator=Several(rank, 2).draws(generator, epoch, step)).tolist())
        for rank in (0, 1) for epoch in (0, 1) for step in (1, 2)
    ]  # fmt: skip
    assert len(set(drawn)) == 8
    assert torch.equal(generator.get_state(), before)
    again = torch.rand(4, generator=Several(1, 2).draws(generator, 1, 2)).tolist()
    assert tuple(again) == drawn[-1]
    assert ALONE.draws(generator, 0, 0) is generator


def test_the_command_names_the_machines():
    assert Several(0, 6, 3).command("python -m attnviz train x") == (
        "torchrun --nnodes 3 --nproc-per-node 2 -m attnviz train x"
    )


def test_torchrun_starts_trainings_only(monkeypatch, capsys):
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "some")
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("RANK", "1")
    assert main(["models"]) == 2
    assert capsys.readouterr().err.startswith("Process 1: torchrun starts several processes for one training")
    monkeypatch.setenv("WORLD_SIZE", "1")
    assert together.rank() is None
    assert main(["models"]) == 0
