"""What is captured of two hundred architectures, held against an oracle that does not use the mode under test."""

import warnings

import pytest
import torch

import attnviz
from attnviz.capture import refusals
from attnviz.capture.call import Call
from attnviz.capture.seen import Captured
from attnviz.errors import TraceError
from tests.capture.architectures import ALL as PICTURES
from tests.capture.builders import Row, needed
from tests.capture.no_attention import NONE
from tests.capture.oracle import matched, peaked, softmaxes, spelled_out
from tests.capture.tasks import TASKS

ALWAYS = {
    "torch encoder", "torch transformer", "timm test_vit", "transformers CLIPVisionModel", "transformers SwinModel",
    "vit-pytorch vit", "vit-pytorch xcit", "vit-pytorch max_vit",
}  # fmt: skip
RANDOM = {"transformers ViTMAEModel", "transformers ViltModel"}  # shuffle their tokens, so that two passes differ
ALL = {**PICTURES, **TASKS}


def rows(table: dict[str, Row], always: set[str]) -> list[object]:
    """Return the names of a table, those that take long marked as slow."""
    return [name if name in always else pytest.param(name, marks=pytest.mark.slow) for name in table]


def captured(name: str, row: Row, monkeypatch: pytest.MonkeyPatch) -> tuple[Captured, list[torch.Tensor]]:
    """Return what is captured of an architecture, and the oracle's softmaxes."""
    needed(name)
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of old functions that a package uses
        model, arguments, named = row.build()
        peaked(model)
        oracle = softmaxes(model, *arguments, **named)
        opened: list[Captured] = []
        made = Captured.__init__
        monkeypatch.setattr(Captured, "__init__", lambda self, *given: (opened.append(self), made(self, *given))[1])
        try:
            with spelled_out():
                attnviz.watch(model, keep="*weights")(*arguments, **named)
        except TraceError:
            assert row.captured == 0
    return opened[0], oracle


def reason(call: Call) -> str:
    """Return the name under which the table lists a refusal."""
    names = {text: name for name, text in vars(refusals).items() if name.isupper() and isinstance(text, str)}
    return names.get(call.refused, "LAYOUT" if "told apart" in call.refused else call.refused)


@pytest.mark.parametrize("name", rows(ALL, ALWAYS))
def test_calls_shapes_and_weights_equal_the_oracle(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    row = ALL[name]
    seen, oracle = captured(name, row, monkeypatch)
    shown = [call for call in seen.calls.values() if not call.refused]
    counts: dict[str, int] = {}
    for call in seen.calls.values():
        if call.refused:
            counts[reason(call)] = counts.get(reason(call), 0) + 1
    assert (len(shown), counts, len(seen.mode.gates)) == (row.captured, row.refused, row.gates)
    # Every softmax of the oracle is a call that is shown, or one that is refused; linear attention has none.
    refused = sum(count for why, count in counts.items() if why != "LINEAR")
    assert len(oracle) == len(shown) + refused + row.other_softmaxes
    if name not in RANDOM:
        far = matched([call.layout.back(call.weights()) for call in shown], oracle)
        assert max(far, default=0.0) < 2e-5


@pytest.mark.parametrize("name", rows(NONE, {"none resnet18", "none gru", "none gated unet", "none written"}))
def test_nothing_is_captured_of_what_is_no_attention(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    needed(name)
    row = NONE[name]
    model, arguments, named = row.build()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            seen = attnviz.watch(model.eval())(*arguments, **named)
        except TraceError as error:
            assert "No attention was captured" in str(error) and "a state is carried" not in str(error)
            assert row.gates == 0
        else:
            assert not [call for call in seen.captured.calls.values() if not call.refused]
            assert len(seen.captured.mode.gates) == row.gates and "a state is carried" not in seen.report()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "first"), [("Rwkv", "blocks.0.attention, blocks.1"), ("Mamba", "layers.0.mixer")])
def test_a_state_in_place_of_attention_is_named(name: str, first: str) -> None:
    needed("transformers")
    model, arguments, named = ALL[f"transformers {name}Model"].build()
    with pytest.raises(TraceError, match=f"In {first}.* a state is carried") as nothing:
        attnviz.watch(model.eval())(*arguments, **named)
    assert "look like attention" not in str(nothing.value)
