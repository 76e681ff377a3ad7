"""Models that torch has compiled, recorded, wrapped or moved, and kernels that cannot be traced."""

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from torch import Tensor, distributed, nn
from torch.nn import functional as F

import attnviz
from attnviz.errors import TraceError
from tests.capture.modules import ByHand, Fused, tokens
from tests.capture.test_captured import softmax_by_hand


@pytest.mark.slow  # flex_attention's first call takes seconds
def test_kernels_that_cannot_be_looked_into_are_named() -> None:
    from torch.nn.attention.flex_attention import flex_attention

    class Flexible(ByHand):
        def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
            return flex_attention(query, key, value)

    with warnings.catch_warnings(), pytest.raises(TraceError, match=r"computed by .*flex_attention"):
        warnings.simplefilter("ignore")  # uncompiled, it is slow
        attnviz.watch(Flexible())(tokens())


def test_the_overload_that_exported_programs_call_is_captured() -> None:
    class Overload(ByHand):
        def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
            return torch.ops.aten.scaled_dot_product_attention.default(query, key, value)

    weights, _ = softmax_by_hand(model := Overload(), tokens())
    assert torch.allclose(attnviz.watch(model)(tokens())["weights"].tensor, weights, atol=1e-6)


def test_a_graph_module_is_captured_under_the_path_of_the_whole() -> None:
    class Plain(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.query, self.key = nn.Linear(8, 4), nn.Linear(8, 4)

        def forward(self, given: Tensor) -> Tensor:
            return F.softmax(self.query(given) @ self.key(given).transpose(-2, -1), dim=-1) @ given

    traced = torch.fx.symbolic_trace(model := Plain())
    expected = (model.query(tokens()) @ model.key(tokens()).mT).softmax(-1)
    assert torch.allclose(attnviz.watch(traced)(tokens())["weights"].at(head=0), expected)


def test_what_torch_jit_has_compiled_is_named() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch.jit is on its way out
        model = nn.Sequential(torch.jit.trace(ByHand(), tokens()))
    with pytest.raises(TraceError, match=r"compiled by torch\.jit cannot be traced: 0"):
        attnviz.watch(model)(tokens())


@pytest.mark.parametrize("wrap", [nn.DataParallel, lambda model: torch.compile(model, backend="eager")])
def test_wrapped_models_keep_their_paths(wrap: Callable[[nn.Module], nn.Module]) -> None:
    model = wrap(nn.Sequential(Fused()))
    with torch.no_grad():
        model(tokens())
    prefix = "module." if isinstance(model, nn.DataParallel) else ""
    assert list(attnviz.watch(model, "*weights")(tokens())) == [f"{prefix}0.weights"]


def test_the_modules_of_a_model_are_listed_a_few_times_in_a_pass_however_many_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = nn.Sequential(*(nn.Identity() for _ in range(300)), Fused())
    listed: list[nn.Module] = []
    monkeypatch.setattr(model, "modules", lambda: [listed.append(model), *nn.Module.modules(model)][1:])
    attnviz.watch(model, "*weights")(tokens())
    assert len(listed) < 10


@pytest.fixture
def group_of_one(tmp_path: Path) -> Iterator[None]:
    """Be the only process of a group."""
    distributed.init_process_group("gloo", f"file://{tmp_path / 'store'}", rank=0, world_size=1)
    yield
    distributed.destroy_process_group()


@pytest.mark.skipif(not distributed.is_available(), reason="this torch was built without torch.distributed")
@pytest.mark.usefixtures("group_of_one")
def test_a_distributed_model_gives_the_weights_of_the_model_inside() -> None:
    inside = nn.Sequential(Fused())
    expected = attnviz.watch(inside, "*weights")(tokens())["0.weights"].tensor
    seen = attnviz.watch(nn.parallel.DistributedDataParallel(inside), "*weights")(tokens())
    assert list(seen) == ["module.0.weights"]
    assert torch.equal(seen["module.0.weights"].tensor, expected)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU that torch can use")
def test_a_model_on_a_gpu_gives_the_weights_that_it_gives_on_the_cpu() -> None:
    model = nn.Sequential(Fused())
    expected = attnviz.watch(model, "*weights")(tokens())["0.weights"].tensor
    seen = attnviz.watch(model.cuda(), "*weights")(tokens().cuda())
    assert torch.allclose(seen["0.weights"].tensor.cpu(), expected, atol=1e-4)
