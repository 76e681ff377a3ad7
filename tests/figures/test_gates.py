"""Figures of gates: the factors are those of the model, and every file shows them."""

import csv
from pathlib import Path

import numpy as np
import pytest
import torch

import attnviz
from attnviz.errors import BadInput
from attnviz.figures.gates import GateFigure
from attnviz.layers.bam import Bam
from attnviz.subjects import Subject, example, net
from tests.figures import seen as small

CBAM = ("channel_attention.digits-cbam", "strokes:23")


@pytest.fixture(scope="module")
def gated() -> tuple[small.Gated, GateFigure]:
    torch.manual_seed(0)
    model = small.Gated().eval().double()
    trace = attnviz.watch(model)(small.batch(small.photo()))
    return model, attnviz.gates(trace, over=small.photo())


def test_saved_numbers_are_those_of_the_model(gated, tmp_path: Path) -> None:
    model, figure = gated
    expected = [model.gate[0].detach().numpy(), model.places[0, 0].detach().numpy()]
    found = np.load(figure.save(tmp_path / "gates.npz"))
    assert [*found["names"]] == ["gate", "space_gate"]
    lines = figure.save(tmp_path / "gates.csv").read_text().splitlines()
    rows = [*csv.DictReader(line for line in lines if not line.startswith("#"))]
    for number, (name, values) in enumerate(zip(figure.gates, expected, strict=True)):
        np.testing.assert_array_equal(found[f"values_{number}"], values)
        written = [float(row["factor"]) for row in rows if row["gate"] == name]
        np.testing.assert_array_equal(written, values.ravel())


def test_gates_of_ours_are_those_of_their_taps() -> None:
    subject = Subject(net(CBAM[0]), example("strokes", 23))
    figure = attnviz.gates(*CBAM)
    model, _ = subject.net.load(double=True)
    with torch.no_grad(), attnviz.trace(model, keep=["*gate"]) as trace:
        model(torch.from_numpy(subject.image.transpose(2, 0, 1)[None] / 255))
    assert {values.ndim for values in figure.gates.values()} == {1, 2} and [*figure.gates] == [*trace]
    for path, values in figure.gates.items():
        np.testing.assert_array_equal(values, trace[path].at(batch=0).numpy())
    assert figure.ink  # drawn as the app draws it: dark on light
    (first,) = attnviz.gates(*CBAM, layers=-1).gates
    assert first == [*trace][-1]


def test_a_gate_of_channels_and_places_at_once(tmp_path: Path) -> None:
    torch.manual_seed(0)
    layer = Bam(channels=4).eval().double()
    with torch.no_grad(), attnviz.trace(layer, keep=["*"]) as trace:
        layer(torch.rand(1, 4, 5, 6).double())
    expected = trace["full_gate"].tensor[0].numpy()
    figure = GateFigure({"full_gate": expected}, None)
    np.testing.assert_array_equal(np.load(figure.save(tmp_path / "gate.npz"))["values_0"], expected)
    lines = figure.save(tmp_path / "gate.csv").read_text().splitlines()
    rows = [*csv.DictReader(line for line in lines if not line.startswith("#"))]
    np.testing.assert_array_equal([float(row["factor"]) for row in rows], expected.ravel())
    assert [rows[-1][name] for name in ("channel", "row", "column")] == ["4", "5", "6"]
    assert "full_gate: mean of 4 channels</text>" in figure.save(tmp_path / "gate.svg").read_text()
    assert [*attnviz.gates("channel_attention.digits-bam", "strokes:23").gates.values()][0].ndim == 3


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
def test_pictures_are_the_same_again(gated, theme: str, tmp_path: Path) -> None:
    _, figure = gated
    figure = GateFigure(figure.gates, figure.photo, figure.origin, theme)
    for suffix in ("pdf", "svg", "png"):
        one, two = (figure.save(tmp_path / f"{name}.{suffix}").read_bytes() for name in ("one", "two"))
        assert one == two
    assert "gate: 6 channels</text>" in (tmp_path / "one.svg").read_text()


def test_what_has_no_gates_is_said() -> None:
    with pytest.raises(BadInput, match="This model has no gates"):
        attnviz.gates(small.seen())
