"""Values of the curve beside the losses, attnviz/training/probes.py."""

import pytest
import torch
from torch import Tensor, nn

from attnviz.errors import BadInput, TraceError, UnknownName
from attnviz.recipes.recipe import Probe
from attnviz.tracing import Layer
from attnviz.training.examples import as_float
from attnviz.training.loop import Training
from attnviz.training.probes import PROBES, Moment, probe
from attnviz.training.progress import Epoch
from tests.training import small


class Gated(Layer):
    """A gate for each pixel, behind a ReLU."""

    taps = ("gate",)

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([[1.0, -1.0], [0.5, 0.25]]))

    def forward(self, images: Tensor) -> Tensor:
        gate = self.tap("gate", (images.flatten(1)[:, :2] - 0.3).relu(), axes="batch feature")
        return (gate @ self.weight).sum(1, keepdim=True)


def _moment() -> Moment:
    model = Gated()
    model.weight.grad = torch.tensor([[1.0, -3.0], [0.0, 0.0]])
    return Moment(model, torch.tensor([2.0, 0.5]), small.examples(20))


def _value(name: str, of: str = "") -> float:
    (value,) = probe(small.recipe(probes=[{"name": name, "of": of}]), _moment()).values()
    return value


def test_probes_of_losses_gradients_and_parameters_are_what_their_names_say():
    assert _value("loss_sum") == 2.5
    assert _value("gradient_mean", "weight") == -0.5
    assert _value("gradient_mean", "weight[0]") == -1.0
    assert _value("gradient_norm", "weight") == pytest.approx(10**0.5)
    assert _value("gradient_zeros", "weight") == 0.5
    assert _value("gradient_zeros", "weight[1]") == 1.0
    assert _value("parameter_std", "weight") == pytest.approx(
        torch.tensor([1.0, -1, 0.5, 0.25]).std(correction=0).item()
    )


def test_probes_of_taps_run_the_model_on_training_pictures():
    gate = (as_float(small.examples(20).images).flatten(1)[:, :2] - 0.3).relu().double()
    assert _value("tap_variance", "gate") == pytest.approx(gate.var(correction=0).item())
    assert _value("tap_zeros", "gate") == (gate == 0).double().mean().item()
    assert _value("tap_spread", "*gate") == pytest.approx(gate.std(0, correction=0).mean().item())


def test_all_probes_of_taps_share_one_pass():
    moment, calls = _moment(), []
    moment.model.register_forward_hook(lambda *_: calls.append(1))
    asked = [
        {"name": name, "of": of} for of in ("gate", "*gate") for name in ("tap_variance", "tap_zeros", "tap_spread")
    ]
    values = probe(small.recipe(probes=[*asked, {"name": "gradient_norm", "of": "weight"}]), moment)
    assert values["tap_spread of gate"] == values["tap_spread of *gate"] == _value("tap_spread", "gate")
    assert len(calls) == 1


def test_a_probe_of_several_taps_is_refused_whatever_else_is_asked_for():
    asked = [{"name": "tap_zeros", "of": "attention.weights"}, {"name": "tap_zeros", "of": "attention.*e*"}]
    recipe = small.recipe(probes=asked)
    moment = Moment(small.training(recipe).model, torch.zeros(1), small.examples(4))
    with pytest.raises(BadInput, match=r"'attention.\*e\*' matches [2-9]: attention.query, attention.key"):
        probe(recipe, moment)


def test_a_parameter_that_no_step_reached_has_a_gradient_of_zero():
    moment = _moment()
    moment.model.weight.grad = None
    assert probe(small.recipe(probes=[Probe(name="gradient_zeros", of="weight")]), moment) == {
        "gradient_zeros of weight": 1
    }


@pytest.mark.parametrize(
    ("name", "of", "error", "sentence"),
    [
        ("gradient", "", UnknownName, "no probe 'gradient'. Did you mean 'gradient_"),
        (
            "gradient_mean",
            "weigth",
            BadInput,
            "asks for the parameter 'weigth', which the model lacks. Did you mean 'weight'",
        ),
        ("gradient_mean", "weight[2]", BadInput, r"asks for 'weight\[2\]'; weight has 2 parts, counted from 0"),
        ("tap_zeros", "gait", TraceError, "No tap matches 'gait'. Did you mean 'gate'"),
    ],
)
def test_a_probe_of_what_is_not_there_is_one_sentence(name, of, error, sentence):
    with pytest.raises(error, match=sentence):
        _value(name, of)


def test_a_third_party_adds_a_row_and_its_values_stand_in_the_curve(monkeypatch):
    monkeypatch.setitem(PROBES, "largest", lambda moment, of: float(moment.model.get_parameter(of).abs().max()))
    probes = [{"name": "largest", "of": "classifier.bias"}, {"name": "loss_sum"}]
    chosen = small.recipe("pixel_line", epochs=2, batch=40, probes=probes)
    training: Training = small.training(chosen)
    name = next(name for name, _ in training.model.named_parameters() if name.endswith("bias"))
    chosen = small.recipe(
        "pixel_line", epochs=2, batch=40, probes=[{"name": "largest", "of": name}, {"name": "loss_sum"}]
    )
    training = small.training(chosen)
    for event in training.run():
        if isinstance(event, Epoch):
            assert event.values[f"largest of {name}"] == pytest.approx(
                training.model.get_parameter(name).abs().max().item()
            )
            assert event.values["loss_sum"] == pytest.approx(event.values["train_loss"])  # one batch


def test_a_value_that_is_no_number_stands_in_the_curve_as_none(monkeypatch):
    monkeypatch.setitem(PROBES, "broken", lambda moment, of: float("nan"))
    events = list(small.training(small.recipe("pixel_line", epochs=1, probes=[{"name": "broken"}])).run())
    assert events[-1].values["broken"] is None


def test_probes_change_nothing_in_the_training():
    probes = [
        {"name": "gradient_norm", "of": "attention.query.weight"},
        {"name": "tap_variance", "of": "attention.weights"},
    ]
    plain, probed = (small.training(small.recipe(epochs=2, probes=some)) for some in ([], probes))
    for training in (plain, probed):
        list(training.run())
    for one, other in zip(plain.model.parameters(), probed.model.parameters(), strict=True):
        assert torch.equal(one, other)
