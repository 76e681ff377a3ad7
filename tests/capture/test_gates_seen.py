"""Gates: a sigmoid that feature maps are multiplied with, and what only looks like one."""

import pytest
import torch
from torch import Tensor, nn

import attnviz
from attnviz import edits
from attnviz.errors import TraceError
from attnviz.tracing import trace


def maps(*shape: int) -> Tensor:
    """Return the same feature maps each time."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0))


class Gated(nn.Module):
    """Multiplies maps with a sigmoid of theirs, in one of several ways."""

    def __init__(self, way: str) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.way = way
        self.channel, self.place = nn.Linear(6, 6), nn.Conv2d(6, 1, 3, padding=1)
        self.learnt = nn.Parameter(torch.randn(1, 6, 1, 1))

    def forward(self, given: Tensor) -> Tensor:
        scores = self.channel(given.mean((2, 3)) if given.ndim == 4 else given.mean(1))
        match self.way:
            case "view":
                return given * scores.sigmoid()[:, :, None, None]
            case "expanded":
                return torch.sigmoid(scores).view(-1, 6, 1, 1).expand_as(given) * given
            case "hard":
                return given.mul(nn.functional.hardsigmoid(scores).unsqueeze(-1).unsqueeze(-1))
            case "hard, written out":
                return given * (nn.functional.relu6(scores + 3) / 6)[..., None, None]
            case "tokens":
                return given * scores.sigmoid()[:, None]
            case "place":
                return given * self.place(given).sigmoid()
            case "place, channels last":
                return (given.permute(0, 2, 3, 1) * self.place(given).sigmoid()[:, 0, :, :, None]).permute(0, 3, 1, 2)
            case "tokens of heads":
                tokens = given.flatten(2).unflatten(1, (2, 3)).mT
                return tokens * tokens.mean(-1, keepdim=True).sigmoid()
            case "weights":
                tokens = given.flatten(2).unflatten(1, (2, 3)).mT
                mean = tokens.mean(1, keepdim=True)
                return ((tokens @ tokens.mT).softmax(-1) * (mean @ mean.mT).sigmoid()) @ tokens
            case "silu":
                return given * given.sigmoid()
            case "glu":
                return given * (given * 2).sigmoid()
            case "learnt":
                return given * self.learnt.sigmoid()
            case "answer":
                return scores.sigmoid()
        raise AssertionError(self.way)


@pytest.mark.parametrize(
    "way", ["view", "expanded", "hard", "hard, written out", "tokens", "place", "place, channels last"]
)
def test_a_gate_is_captured_with_its_axes_and_can_be_edited(way: str) -> None:
    model = Gated(way)
    given = maps(2, 9, 6) if way == "tokens" else maps(2, 6, 5, 7)
    seen = attnviz.watch(model)(given)
    place = way.startswith("place")
    tap = "space_gate" if place else "gate"
    assert list(seen) == [tap]
    assert seen[tap].axes == (("batch", "row", "column") if place else ("batch", "channel"))
    gate = seen[tap].tensor
    factor = gate[:, None] if place or way == "tokens" else gate[:, :, None, None]
    assert torch.allclose(seen.output, given * factor)
    off = edits.off(tap, row=2) if place else edits.off(tap, channel=2)
    with torch.no_grad(), trace(model, keep=[tap], edits=off) as edited:
        changed = model(given)
    axis = 2 if place or way == "tokens" else 1
    assert float(changed.select(axis, 2).abs().max()) == 0
    kept = [one for one in range(changed.shape[axis]) if one != 2]
    assert torch.equal(
        changed.index_select(axis, torch.tensor(kept)), seen.output.index_select(axis, torch.tensor(kept))
    )
    assert torch.equal(edited[tap].before, gate)


@pytest.mark.parametrize("way", ["silu", "glu", "learnt", "answer", "tokens of heads"])
def test_what_is_no_gate(way: str) -> None:
    with pytest.raises(TraceError, match="No attention was captured"):
        attnviz.watch(Gated(way))(maps(2, 6, 5, 7))


def test_the_report_lists_gates() -> None:
    report = attnviz.watch(nn.Sequential(Gated("view"), Gated("place")))(maps(1, 6, 5, 7)).report()
    assert "2 gates:" in report and "0.gate" in report and "1.space_gate" in report


def test_a_factor_of_weights_is_no_gate_and_the_weights_are_refused() -> None:
    with pytest.raises(TraceError, match="its weights are changed"):
        attnviz.watch(Gated("weights"))(maps(2, 6, 5, 5))
