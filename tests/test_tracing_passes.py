"""Passes in which readings would be dead, edits without effect, or gradients false: what a trace makes of them."""

import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils.checkpoint import checkpoint

from attnviz import edits, passes
from attnviz.errors import TraceError
from attnviz.tracing import Layer, trace
from tests.traced_layers import VALUES, Free, Pair, Two, refused
from tests.traced_layers import nobody_listens_afterwards as nobody_listens_afterwards


class Checkpointed(nn.Module):
    """A linear map, and a pair whose pass is computed again for its gradients."""

    def __init__(self, around: Callable[[Callable[[Tensor], Tensor], Tensor], Tensor]) -> None:
        super().__init__()
        self.first, self.pair, self.around = nn.Linear(3, 3), Pair(), around

    def forward(self, values: Tensor) -> Tensor:
        return self.around(lambda inner: self.pair(inner).exp(), self.first(values))


class Own(torch.autograd.Function):
    """A reentrant checkpoint as other packages have them, of their own."""

    @staticmethod
    def forward(ctx: Any, run: Callable[[Tensor], Tensor], values: Tensor) -> Tensor:
        ctx.run = run
        ctx.save_for_backward(values)
        with torch.no_grad():
            return run(values)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[None, Tensor]:
        (values,) = (one.detach().requires_grad_() for one in ctx.saved_tensors)
        with torch.enable_grad():
            return None, torch.autograd.grad(ctx.run(values), values, gradient)[0]


class Named(Own):
    """The same, whose forward pass calls its context otherwise."""

    @staticmethod
    def forward(context: Any, run: Callable[[Tensor], Tensor], values: Tensor) -> Tensor:
        context.run = run
        context.save_for_backward(values)
        with torch.no_grad():
            return run(values)


class Apart(Own):
    """The same, whose forward pass is not given the context."""

    @staticmethod
    def forward(run: Callable[[Tensor], Tensor], values: Tensor) -> Tensor:  # type: ignore[override]
        with torch.no_grad():
            return run(values)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, Tensor], output: Tensor) -> None:
        ctx.run = inputs[0]
        ctx.save_for_backward(inputs[1])


def _reentrant(run: Any, values: Tensor) -> Tensor:
    return checkpoint(run, values, use_reentrant=True)


def _not_reentrant(run: Any, values: Tensor) -> Tensor:
    return checkpoint(run, values, use_reentrant=False)


def _inside(run: Any, values: Tensor) -> Tensor:
    return _not_reentrant(lambda inner: _reentrant(run, inner), values)


checkpoints = pytest.mark.parametrize("around", [_reentrant, _not_reentrant, _inside, Named.apply, Apart.apply])


@checkpoints
def test_an_edit_that_a_checkpoint_would_not_repeat_is_refused(around):
    refused("pair.query is edited inside of an activation checkpoint, which would recompute it without that",
            Checkpointed(around), keep=[], edits={"pair.query": torch.neg})  # fmt: skip


@pytest.mark.filterwarnings("ignore:None of the inputs have requires_grad=True")
@checkpoints
def test_without_gradients_a_checkpoint_computes_nothing_again_and_edits_work(around):
    model = Checkpointed(around)
    with torch.no_grad(), trace(model, ["pair.key"], {"pair.query": torch.neg}) as seen:
        output = model(VALUES)
    torch.testing.assert_close(seen["pair.key"].tensor, 1 - 2 * model.first(VALUES))
    torch.testing.assert_close(output, seen["pair.key"].tensor.exp())


@checkpoints
def test_what_a_checkpoint_computes_again_in_the_block_is_not_a_second_visit(around):
    model, plain = Checkpointed(around), Checkpointed(lambda run, values: run(values))
    plain.load_state_dict(model.state_dict())
    with trace(model) as seen:
        model(VALUES).sum().backward()
    plain(VALUES).sum().backward()
    torch.testing.assert_close(model.first.weight.grad, plain.first.weight.grad)
    torch.testing.assert_close(seen["pair.query"].tensor, 2 * model.first(VALUES).detach())


@checkpoints
def test_an_edit_does_not_change_what_a_checkpoint_computes_again_of_a_pass_before_the_trace(around):
    model = Checkpointed(around)
    before = model(VALUES).sum()
    message = "pair.query is edited in a backward pass that was begun inside of the trace"
    with pytest.raises(TraceError, match=message), trace(model, [], {"pair.query": torch.neg}):
        before.backward()


def _no_grad(model: nn.Module) -> None:
    with torch.no_grad():
        model(VALUES)


def _inference(model: nn.Module) -> None:
    with torch.inference_mode():
        model(VALUES)


@pytest.mark.parametrize("run", [_no_grad, _inference], ids=["no_grad", "inference"])
def test_gradients_cannot_be_asked_for_where_none_are_computed(run):
    model = Checkpointed(lambda run, values: run(values))
    message = "was computed without gradients, which gradients=True asks for"
    with pytest.raises(TraceError, match=message), trace(model, gradients=True):
        run(model)


def test_gradients_cannot_be_asked_for_inside_of_a_reentrant_checkpoint():
    refused("pair.query was computed without gradients", Checkpointed(_reentrant), gradients=True)


def test_gradients_can_be_asked_for_inside_of_another_checkpoint():
    model = Checkpointed(_not_reentrant)
    with trace(model, gradients=True) as seen:
        output = model(VALUES)
    (gradient,) = torch.autograd.grad(output.sum(), seen["pair.query"].tensor)
    torch.testing.assert_close(gradient, output.detach())


def test_gradients_cannot_be_asked_for_where_nothing_requires_one():
    refused("gradients=True, but nothing that was kept depends on anything that requires a gradient", Pair(),
            gradients=True)  # fmt: skip


# torch.func, torch.export and their like


@pytest.mark.parametrize(
    "transformed", [torch.vmap, lambda run: torch.vmap(torch.func.grad(lambda one: run(one).sum()))],
    ids=["vmap", "vmap of grad"],
)  # fmt: skip
def test_a_reading_that_would_end_with_vmap_is_refused(transformed):
    body = Free(lambda layer, values: layer.tap("query", values * 2, axes="feature"))
    message = "query was reached inside of torch.vmap, and its values end with it"
    with pytest.raises(TraceError, match=message), trace(body):
        transformed(body)(VALUES)


def test_a_trace_inside_of_the_function_that_is_mapped_works():
    body = Free(lambda layer, values: layer.tap("query", values * 2, axes="feature"))

    def run(values: Tensor) -> Tensor:
        with trace(body, edits={"query": torch.neg}) as seen:
            body(values)
        return seen["query"].tensor

    assert torch.equal(torch.vmap(run)(VALUES), -2 * VALUES)


def test_an_edit_works_inside_of_vmap():
    body = Free(lambda layer, values: layer.tap("query", values * 2, axes="feature"))
    with trace(body, [], {"query": edits.off(feature=1)}):
        output = torch.vmap(body)(VALUES)
    assert torch.equal(output, 2 * VALUES * torch.tensor([1, 0, 1]))


def test_a_reading_inside_of_a_gradient_is_alive():
    model = Pair()
    with trace(model) as seen:
        torch.func.grad(lambda values: model(values).sum())(VALUES)
    assert torch.equal(seen["query"].tensor + 0, 2 * VALUES)


def _exported(model: nn.Module) -> object:
    return torch.export.export(model, (VALUES,))


def _recorded(model: nn.Module) -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return torch.jit.trace(model, VALUES)


def _made(model: nn.Module) -> object:
    return make_fx(model)(VALUES)


OLD = "torch 2.6 cannot tell an export from a compilation, and ends an export with hooks in an error of its own"
EXPORT = pytest.param(_exported, marks=pytest.mark.skipif(not hasattr(torch.compiler, "is_exporting"), reason=OLD))


@pytest.mark.parametrize("record", [EXPORT, _recorded, _made], ids=["export", "jit", "fx"])
@pytest.mark.parametrize("options", [{}, {"keep": [], "edits": {"query": torch.neg}}], ids=["reading", "edit"])
def test_a_program_is_not_recorded_inside_of_a_trace(record, options):
    model = Pair()
    message = "query was reached while torch.export, torch.jit.trace or make_fx records the model"
    with pytest.raises(TraceError, match=message), trace(model, **options):
        record(model)


def test_a_program_says_that_it_keeps_no_taps():
    program = _exported(Pair()).module()  # type: ignore[attr-defined]
    refused(r"No attention was captured in .*A program that torch has made from a model has no taps: trace", program)
    message = "A trace is opened for a torch module, not for a ExportedProgram"
    with pytest.raises(TraceError, match=message), trace(_exported(Pair())):
        pass


# Edits that do not reach the answer


def _beside(layer: Layer, values: Tensor) -> Tensor:
    layer.tap("query", values * 2, axes="batch feature")
    return values + 1


def _forgotten(layer: Layer, values: Tensor) -> Tensor:
    query = values * 2
    layer.tap("query", query, axes="batch feature")
    return query + 1


def _named(layer: Layer, values: Tensor) -> Tensor:
    query = values * 2
    _ = layer.tap("query", query, axes="batch feature")
    return query.exp()


def _averaged(layer: Layer, values: Tensor) -> Tensor:
    layer.mean = layer.tap("query", values * 2, axes="batch feature").mean()
    return values.exp()


def _shape_alone(layer: Layer, values: Tensor) -> Tensor:
    query = layer.tap("query", values * 2, axes="batch feature")
    return values.expand(query.shape) + query.size(0)


@pytest.mark.parametrize("body", [_beside, _forgotten, _named, _averaged, _shape_alone])
@pytest.mark.parametrize("keep", [[], ["query"]], ids=["alone", "kept"])
def test_an_edit_that_changes_the_reading_alone_is_refused(body, keep):
    model = nn.Sequential(Free(body), nn.Linear(3, 2))
    refused(r"The edit of '0\.query' does not reach the answer: the model computes it without the value that the tap",
            model, keep=[f"0.{one}" for one in keep], edits={"0.query": torch.neg})  # fmt: skip


@pytest.mark.parametrize("body", [_beside, _forgotten])
def test_a_value_that_does_not_reach_the_answer_can_be_read(body):
    model = Free(body)
    with trace(model) as seen:
        model(VALUES)
    assert torch.equal(seen["query"].tensor, 2 * VALUES)


def _returned(layer: Layer, values: Tensor) -> Tensor:
    return layer.tap("query", values * 2, axes="batch feature")


def _in_a_dictionary(layer: Layer, values: Tensor) -> Any:
    return {"logits": (values, [layer.tap("query", values * 2, axes="batch feature")])}


def _written_into_a_view(layer: Layer, values: Tensor) -> Tensor:
    whole = torch.zeros(2, 6)
    whole[:, 3:].view(2, 3).copy_(layer.tap("query", values * 2, axes="batch feature"))
    return whole.sum(1)


def _written_out(layer: Layer, values: Tensor) -> Tensor:
    whole = torch.zeros(2, 3)
    torch.add(layer.tap("query", values * 2, axes="batch feature"), 1, out=whole)
    return whole


def _as_a_number(layer: Layer, values: Tensor) -> Tensor:
    return values * layer.tap("query", values * 2, axes="batch feature").mean().item()


def _as_a_place(layer: Layer, values: Tensor) -> Tensor:
    return values[:, layer.tap("query", values * 2, axes="batch feature").mean(0).argmax()]


def _detached(layer: Layer, values: Tensor) -> Tensor:
    return layer.tap("query", values * 2, axes="batch feature").detach().transpose(0, 1).clone()


def _remembered(layer: Layer, values: Tensor) -> Tensor:
    layer.held = layer.tap("query", values * 2, axes="batch feature")
    return torch.stack([values, layer.held]).sum(0)


REACHING = [_returned, _in_a_dictionary, _written_into_a_view, _written_out, _as_a_number, _as_a_place, _detached,
            _remembered]  # fmt: skip


@pytest.mark.parametrize("body", REACHING)
@pytest.mark.parametrize("mode", [torch.no_grad, torch.enable_grad, torch.inference_mode])
def test_an_edit_whose_value_the_answer_is_computed_from_works(body, mode):
    model = Free(body)
    before = model(VALUES)
    with mode(), trace(model, ["query"], {"query": lambda values: 3 * values.flip(1)}) as seen:
        after = model(VALUES)
    assert str(after) != str(before)
    assert torch.equal(seen["query"].tensor, 6 * VALUES.flip(1))


def test_an_edit_works_where_only_a_part_of_the_model_is_called():
    model = Two()
    with trace(model, [], {"first.query": torch.neg}):
        output = model.first(VALUES)
    assert torch.equal(output, 1 - 2 * VALUES)


def test_operations_are_watched_only_until_an_edit_has_reached_the_answer(monkeypatch):
    model, watched = Two(), []
    before = passes._Watch.__init__
    monkeypatch.setattr(passes._Watch, "__init__", lambda self, one: (watched.append(1), before(self, one))[1])
    for address, expected in [("first.query", 1), ("first.query", 1), ("blocks.0.key", 2), ("first.query", 2)]:
        with trace(model, [], {address: torch.neg}):
            model(VALUES)
        assert len(watched) == expected
        assert not model._forward_hooks
    with trace(model):
        model(VALUES)
    assert len(watched) == 2


def test_an_edit_does_not_import_the_compiler_of_torch():
    code = (
        "import sys, torch; from tests.traced_layers import VALUES, Pair; from attnviz.tracing import trace; "
        "model = Pair(); context = trace(model, [], {'query': torch.neg}); context.__enter__(); model(VALUES); "
        "context.__exit__(None, None, None); print('torch._dynamo' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


# What is no tap, no tensor, or too early


@pytest.mark.parametrize(
    ("taps", "message"),
    [
        (("weights"), r"Odd.taps must be a tuple of names, such as \('weights',\), not 'weights'"),
        ("", r"Odd.taps must be a tuple of names"),
        ({"query", "key"}, r"Odd.taps must be a tuple of names, such as \('scores', 'weights'\), not \{"),
        (("query", 3), r"Odd.taps must be a tuple of names, .* not \('query', 3\)"),
        (None, r"Odd.taps must be a tuple of names, .* not None"),
        (("query", "query"), "Odd.taps must be different words without dots, commas and patterns, not 'query'"),
        (("que.ry",), "Odd.taps must be different words without dots, commas and patterns, not 'que.ry'"),
        (("*",), r"Odd.taps must be different words without dots, commas and patterns, not '\*'"),
        (("query, key",), "Odd.taps must be different words without dots, commas and patterns, not 'query, key'"),
        (("",), "Odd.taps must be different words without dots, commas and patterns, not ''"),
    ],
)  # fmt: skip
def test_taps_that_are_no_names_are_refused_where_the_class_is_made(taps, message):
    with pytest.raises(TraceError, match=message):
        type("Odd", (Layer,), {"taps": taps})
    layer = Pair()
    layer.taps = taps  # type: ignore[misc]
    refused(message.replace("Odd", "Pair"), layer)


@pytest.mark.parametrize(
    ("value", "word"),
    [((VALUES, VALUES), "tuple"), ([VALUES], "list"), (None, "NoneType"), (2.0, "float"), ({"a": VALUES}, "dict"),
     (VALUES.numpy(), "ndarray"),
     (lambda: torch.nested.nested_tensor([VALUES], layout=torch.jagged), "nested tensor")],  # it takes long to import
    ids=["tuple", "list", "none", "number", "dictionary", "array", "nested"],
)  # fmt: skip
def test_a_tap_that_is_given_no_tensor_is_refused(value, word):
    given = value() if callable(value) else value
    body = Free(lambda layer, values: layer.tap("query", given, axes="batch feature"))
    refused(f"query: a tap takes a tensor, not a {word}. Give each of several parts its own tap", body)


@pytest.mark.parametrize("axes", [("batch", "feature"), None, 3], ids=str)
def test_axes_that_are_no_words_are_refused(axes):
    body = Free(lambda layer, values: layer.tap("query", values, axes=axes))
    refused("query: the axes .* must be 2 different words", body)


@pytest.mark.parametrize("per", [["step"], 3], ids=str)
def test_an_axis_of_visits_that_is_no_word_is_refused(per):
    body = Free(lambda layer, values: layer.tap("query", values, axes="batch feature", per=per))
    refused("query: per=.* must be an axis", body)


@pytest.mark.parametrize(
    "read",
    [lambda seen: seen["query"], list, len, bool, lambda seen: "query" in seen, dict,
     lambda seen: seen.get("query"), lambda seen: seen.items(), lambda seen: seen.values(), lambda seen: {**seen},
     reversed, lambda seen: seen | {}, lambda seen: seen.copy(), lambda seen: seen.pop("key", None),
     lambda seen: seen.setdefault("query", None), repr, lambda seen: seen == {}],
)  # fmt: skip
def test_readings_are_refused_inside_of_the_block_and_are_there_after_it(read):
    model = Pair()
    with trace(model) as seen:
        model(VALUES)
        with pytest.raises(TraceError, match="A trace has its readings once its block has ended: read them after"):
            read(seen)
    read(seen)
    assert torch.equal(seen["query"].tensor, 2 * VALUES)


# Patterns


def test_a_pattern_edits_what_it_matches():
    model = Two()
    with trace(model, edits={"*.query": torch.neg, "first.*": [edits.scale(2), edits.scale(3)]}) as seen:
        model(VALUES)
    first = 6 * (1 - 12 * VALUES)
    assert torch.equal(seen["first.query"].tensor, -12 * VALUES)
    assert torch.equal(seen["first.key"].tensor, first)
    assert torch.equal(seen["blocks.0.query"].tensor, -2 * first)


def test_a_pattern_that_matches_no_tap_or_reaches_none_is_an_error():
    refused(r"No tap is called '\*\.kye', so it cannot be edited", Two(), edits={"*.kye": torch.neg})
    half = Free(lambda layer, values: layer.tap("query", values, axes="batch feature"))
    refused(r"The edit of 'k\*' was never used", half, edits={"k*": torch.neg})


def test_a_pattern_makes_the_attention_of_every_layer_uniform():
    from attnviz.layers.attention import Attention

    generator = torch.Generator().manual_seed(0)
    model = nn.Sequential(
        Attention(features=2, heads=1, head_size=2), nn.Linear(2, 2), Attention(features=2, heads=1, head_size=2)
    )
    tokens = torch.rand(1, 4, 2, generator=generator)
    with trace(model, ["*.mixed", "*.value"], edits.uniform("*.mixed")) as seen:
        model(tokens)
    for layer in ("0", "2"):
        mean = seen[f"{layer}.value"].tensor.mean(2, keepdim=True)
        torch.testing.assert_close(seen[f"{layer}.mixed"].tensor, mean.expand_as(seen[f"{layer}.mixed"].tensor))
