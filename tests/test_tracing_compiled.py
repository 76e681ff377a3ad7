"""Taps and traces of models that torch compiles."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attnviz import tracing
from attnviz.errors import TraceError
from attnviz.models.pixel_attention import PixelAttention
from attnviz.tracing import trace
from tests.traced_layers import VALUES, Free, Two, in_place
from tests.traced_layers import nobody_listens_afterwards as nobody_listens_afterwards


def _compiled(model: nn.Module) -> nn.Module:
    torch._dynamo.reset()
    return torch.compile(model, fullgraph=True, backend="aot_eager")


@pytest.fixture
def pixels() -> tuple[nn.Module, Tensor]:
    generator = torch.Generator().manual_seed(0)
    model = PixelAttention(classes=("a", "b"), heads=2, head_size=3, rows=5, columns=7, mean=0.1, std=0.3,
                           positions="sinusoidal_2d", position_features=4, generator=generator)  # fmt: skip
    return model, torch.rand(2, 1, 5, 7, generator=generator)


def _same(one: tracing.Trace, other: tracing.Trace) -> None:
    assert list(one) == list(other)
    for address, reading in one.items():
        torch.testing.assert_close(reading.tensor, other[address].tensor, rtol=1e-5, atol=1e-6)
        assert (reading.axes, reading.grid) == (other[address].axes, other[address].grid)
        assert (reading.before is None) == (other[address].before is None)


def test_taps_compile_into_one_whole_graph_and_say_what_they_say_uncompiled(pixels):
    for model, values in ((Two(), VALUES), pixels):
        compiled = _compiled(model)
        torch.testing.assert_close(compiled(values), model(values))  # compiled before the trace is opened
        with trace(model) as eager:
            model(values)
        for opened in (compiled, model):
            with trace(opened) as seen:
                compiled(values)
            _same(seen, eager)
        torch.testing.assert_close(compiled(values), model(values))


def test_a_model_that_is_compiled_inside_a_trace_is_heard(pixels):
    for model, values in ((Two(), VALUES), pixels):
        with trace(model) as eager:
            model(values)
        with trace(model) as seen:
            _compiled(model)(values)
        _same(seen, eager)


def test_a_compiled_model_obeys_each_traces_own_edits(pixels):
    model, images = pixels
    compiled = _compiled(model)
    untouched = compiled(images)
    for number in range(10):  # more than torch would compile anew

        def edit(weights: Tensor, number: int = number) -> Tensor:
            return weights * number

        with trace(model, ["*.weights"], {"attention.weights": edit}) as eager:
            expected = model(images)
        with trace(compiled, ["*.weights"], {"attention.weights": edit}) as seen:
            output = compiled(images)
        _same(seen, eager)
        torch.testing.assert_close(output, expected)
        assert number == 1 or not torch.allclose(output, untouched)


def test_a_compiled_part_of_a_model_keeps_its_address():
    model: Any = Two()
    torch._dynamo.reset()
    model.first = torch.compile(model.first, fullgraph=True, backend="aot_eager")
    model(VALUES)
    with trace(model) as seen:
        model(VALUES)
    assert list(seen) == ["first.query", "first.key", "blocks.0.query", "blocks.0.key"]


def test_a_changein_place_in_a_compiled_model_is_detected_too():
    model = Free(in_place)
    compiled = _compiled(model)
    compiled(VALUES)
    with pytest.raises(TraceError, match="changed in place"), trace(model, keep=["query"]):
        compiled(VALUES)


def test_compiled_models_run_compiled_again_when_the_last_trace_has_ended():
    model, graphs = Two(), []

    def backend(graph: torch.fx.GraphModule, _: list[Tensor]) -> Callable[..., object]:
        def run(*inputs: Tensor) -> object:
            graphs.append(1)
            return graph(*inputs)

        return run

    torch._dynamo.reset()
    compiled = torch.compile(model, fullgraph=True, backend=backend)
    compiled(VALUES)
    assert len(graphs) == 1
    opened, close = threading.Event(), threading.Event()

    def visitor() -> None:
        with trace(model):
            model(VALUES)
            opened.set()
            close.wait(timeout=60)

    with ThreadPoolExecutor(1) as pool:
        visit = pool.submit(visitor)
        assert opened.wait(timeout=60)
        with trace(model):
            compiled(VALUES)
        compiled(VALUES)
        assert len(graphs) == 1  # somebody still traces
        close.set()
        visit.result(timeout=60)
    compiled(VALUES)
    assert len(graphs) == 2


@pytest.mark.parametrize("whole", [False, True])
def test_a_trace_is_opened_around_a_compiled_function_and_not_inside_of_it(whole):
    @torch.compile(backend="eager", fullgraph=whole)
    def run(values: Tensor) -> Tensor:
        with trace(model, [], {"query": torch.neg}):
            return model(values)

    torch._dynamo.reset()
    model = Two().first
    kind = torch._dynamo.exc.Unsupported if whole else TraceError  # torch puts the sentence into its own
    with pytest.raises(kind, match="inside of a function that torch compiles"):
        run(VALUES)
    torch._dynamo.reset()


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")
def test_a_model_with_taps_is_refused_where_torch_would_compile_its_source(pixels):
    for model in (Two(), pixels[0]):
        with pytest.raises(TraceError, match="use torch.compile, or torch.export"):
            torch.jit.script(model)
