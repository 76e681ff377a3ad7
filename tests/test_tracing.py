"""The tap and the trace, attnviz/tracing.py."""

import copy

import pytest
import torch
from torch import Tensor, nn

from attnviz import edits, tracing
from attnviz.layers.attention import Attention
from attnviz.tracing import Grid, Layer, tap_paths, trace
from tests.traced_layers import VALUES, Free, Pair, Two, refused
from tests.traced_layers import nobody_listens_afterwards as nobody_listens_afterwards


def test_an_idle_tap_gives_back_the_very_same_tensor():
    assert Pair().tap("query", VALUES, axes="batch feature") is VALUES


def test_an_idle_tap_does_not_even_look_at_its_words():
    assert Pair().tap("nonsense", VALUES, axes="no such axes") is VALUES


def test_a_trace_keeps_every_tap_in_the_order_of_the_pass():
    model = Two()
    with trace(model) as seen:
        model(VALUES)
    assert list(seen) == ["first.query", "first.key", "blocks.0.query", "blocks.0.key"]
    for path, expected in zip(seen, (VALUES * 2, VALUES * 2 + 1, VALUES * 4 + 2, VALUES * 4 + 3), strict=True):
        assert torch.equal(seen[path].tensor, expected)
        assert (seen[path].path, seen[path].axes) == (path, ("batch", "feature"))
        assert seen[path].before is None
    assert seen["first.key"].grid == Grid(1, 3)
    assert seen["blocks.0.key"].grid is None


def test_a_pattern_keeps_what_it_matches_and_nothing_else():
    model = Two()
    with trace(model, keep="*.key") as seen:
        model(VALUES)
    assert list(seen) == ["first.key", "blocks.0.key"]
    with trace(model, keep=["first.query", "blocks.*"]) as seen:
        model(VALUES)
    assert list(seen) == ["first.query", "blocks.0.query", "blocks.0.key"]


def test_the_root_itself_may_be_the_layer_and_then_its_address_is_the_tap_alone():
    model = Pair()
    with trace(model) as seen:
        model(VALUES)
    assert list(seen) == ["query", "key"]


def test_a_part_of_a_tap_can_be_kept_and_only_that_is_held():
    layer = Attention(features=1, heads=3, head_size=2)
    tokens = torch.rand(2, 20, 1, generator=torch.Generator().manual_seed(0))
    with trace(layer) as whole:
        layer(tokens)
    index = {"head": 1, "query": range(5, 7)}
    with trace(layer, keep={"weights": index, "mixed": {}}, edits={"weights": edits.scale(2.0, head=1)}) as seen:
        layer(tokens)
    assert list(seen) == ["weights", "mixed"]
    part = seen["weights"]
    assert part.axes == ("batch", "query", "key")
    torch.testing.assert_close(part.tensor, 2 * whole["weights"].at(**index))
    torch.testing.assert_close(part.before, whole["weights"].at(**index))
    assert part.tensor.untyped_storage().nbytes() == part.tensor.numel() * 4
    assert seen["mixed"].tensor.shape == whole["mixed"].tensor.shape


def test_of_several_patterns_that_mean_a_tap_the_last_one_counts():
    layer = Attention(features=1, heads=3, head_size=2)
    with trace(layer, keep={"*": {}, "weights": {"head": 0}}) as seen:
        layer(torch.rand(2, 5, 1))
    assert list(seen) == list(layer.taps)
    assert seen["weights"].axes == ("batch", "query", "key")
    assert seen["scores"].axes == ("batch", "head", "query", "key")


def test_gradients_flow_through_a_part_that_is_kept():
    model, values = Pair(), VALUES.clone().requires_grad_()
    with trace(model, keep={"query": {"feature": 1}}, gradients=True) as seen:
        model(values)
    seen["query"].tensor.sum().backward()
    assert values.grad.tolist() == [[0, 2, 0], [0, 2, 0]]


@pytest.mark.parametrize(("index", "message"), [
    ({"heads": 0}, "query has no axis 'heads'. There are: batch, feature"),
    ({"feature": 3}, "query: feature 3 does not exist; there are 3"),
    ({"feature": "all"}, "query: feature must be a whole number, a range or a slice, not 'all'"),
])  # fmt: skip
def test_a_part_that_is_not_there_is_refused(index, message):
    refused(message, Pair(), keep={"query": index})


def _visited(times: int) -> Free:
    def body(layer: Free, values: Tensor) -> Tensor:
        for visit in range(times):
            values = layer.tap("query", values + visit, axes="batch feature", per="step")
        return values

    return Free(body)


@pytest.mark.parametrize(("steps", "axes", "added"), [
    (2, ("batch", "feature"), 3),
    (range(1, 3), ("step", "batch", "feature"), [1, 3]),
    (slice(2, None), ("step", "batch", "feature"), [3, 6]),
])  # fmt: skip
def test_some_of_several_visits_can_be_kept(steps, axes, added):
    model = _visited(4)
    with trace(model, keep={"query": {"step": steps, "feature": range(2)}}) as seen:
        model(VALUES)
    expected = VALUES[:, :2] + torch.tensor(added).reshape(-1, *[1] * (len(axes) - 1)).float()
    assert seen["query"].axes == axes
    assert torch.equal(seen["query"].tensor, expected.reshape(seen["query"].tensor.shape))


@pytest.mark.parametrize(("steps", "message"), [
    (4, "query: step 4 does not exist; there are 4"),
    (range(2, 5), r"query: step range\(2, 5\) does not exist; there are 4"),
    (-1, "query: step -1 cannot be used: visits are counted upwards from 0"),
    (slice(None, None, -1), "visits are counted upwards from 0"),
])  # fmt: skip
def test_visits_that_do_not_happen_are_refused(steps, message):
    refused(message, _visited(4), keep={"query": {"step": steps}})


def test_an_edit_changes_the_model_and_the_reading_and_before_holds_what_was():
    model = Two()
    with trace(model, keep=["first.query", "blocks.0.key"], edits={"first.query": torch.neg}) as seen:
        output = model(VALUES)
    assert torch.equal(output, 2 * (1 - 2 * VALUES) + 1)
    assert torch.equal(seen["first.query"].tensor, -2 * VALUES)
    assert torch.equal(seen["first.query"].before, 2 * VALUES)
    assert seen["blocks.0.key"].before is None
    assert torch.equal(model(VALUES), 4 * VALUES + 3)


def test_an_edit_alone_keeps_nothing():
    model = Pair()
    with trace(model, keep=[], edits={"key": torch.zeros_like}) as seen:
        output = model(VALUES)
    assert not output.any()
    assert dict(seen) == {}


def test_an_outer_trace_sees_what_an_inner_one_edited():
    model = Pair()
    with trace(model) as outer, trace(model, edits={"query": lambda values: values * 10}) as inner:
        output = model(VALUES)
    for seen in (outer, inner):
        assert torch.equal(seen["query"].tensor, 20 * VALUES)
        assert torch.equal(seen["key"].tensor, 20 * VALUES + 1)
    assert outer["query"].before is None
    assert torch.equal(inner["query"].before, 2 * VALUES)
    assert torch.equal(output, 20 * VALUES + 1)


def test_an_inner_trace_shows_what_the_model_went_on_with_where_the_outer_one_edits_too():
    model = Pair()
    with (
        trace(model, edits={"query": lambda values: values + 1}) as outer,
        trace(model, edits={"query": lambda values: values * 10}) as inner,
    ):
        model(VALUES)
    assert torch.equal(outer["query"].tensor, 20 * VALUES + 1)
    assert torch.equal(inner["query"].tensor, 20 * VALUES + 1)
    assert torch.equal(outer["query"].before, 20 * VALUES)
    assert torch.equal(inner["query"].before, 2 * VALUES)


def test_traces_of_two_models_do_not_hear_each_other():
    one, other = Pair(), Pair()
    with trace(one) as seen_one, trace(other, edits={"query": torch.neg}) as seen_other:
        one(VALUES)
        other(VALUES)
    assert torch.equal(seen_one["query"].tensor, 2 * VALUES)
    assert torch.equal(seen_other["query"].tensor, -2 * VALUES)


def test_the_outer_trace_listens_again_when_the_inner_one_has_ended():
    model = Two()
    with trace(model, keep=["first.*"]) as outer:
        with trace(model.blocks[0]) as inner:
            model.blocks[0](VALUES)
        model(VALUES)
    assert list(inner) == ["query", "key"]
    assert list(outer) == ["first.query", "first.key"]


def _explode(_: Tensor) -> Tensor:
    raise ZeroDivisionError("on purpose")


@pytest.mark.parametrize("where", ["forward", "edit", "block"])
def test_nothing_stays_registered_after_an_error(where):
    model = Pair()
    bad = Free(lambda layer, values: _explode(values)) if where == "forward" else model
    edits = {"query": _explode} if where == "edit" else {}

    def fail() -> None:
        with pytest.raises(ZeroDivisionError, match="on purpose"), trace(bad, edits=edits):
            if where == "block":
                raise ZeroDivisionError("on purpose")
            bad(VALUES)

    fail()
    assert tracing._listener.trace is None
    with trace(nn.Sequential(model)) as outer:
        if where != "edit":  # it has come by already when the edit fails
            fail()
            assert tracing._listener.trace is outer
        model(VALUES)
    assert torch.equal(outer["0.key"].tensor, 2 * VALUES + 1)


def _glimpses(layer: Layer, values: Tensor) -> Tensor:
    for number in range(3):
        values = layer.tap("query", values + number, axes="batch feature", per="glimpse")
    return values


def test_visits_are_stacked_along_the_axis_that_counts_them():
    model = Free(_glimpses)
    with trace(model, keep=["query"]) as seen:
        model(VALUES)
    reading = seen["query"]
    assert reading.axes == ("glimpse", "batch", "feature")
    assert torch.equal(reading.tensor, torch.stack([VALUES, VALUES + 1, VALUES + 3]))
    assert torch.equal(reading.at(glimpse=2, batch=1), VALUES[1] + 3)
    assert reading.before is None


def test_visits_are_stacked_before_and_after_an_edit():
    model = Free(_glimpses)
    with trace(model, keep=["query"], edits={"query": lambda values: values * 10}) as seen:
        output = model(VALUES)
    steps = [VALUES, 10 * VALUES + 1, 10 * (10 * VALUES + 1) + 2]
    assert torch.equal(seen["query"].before, torch.stack(steps))
    assert torch.equal(seen["query"].tensor, 10 * torch.stack(steps))
    assert torch.equal(output, 10 * steps[-1])


def test_one_visit_with_an_axis_for_it_is_stacked_too():
    model = Free(lambda layer, values: layer.tap("query", values, axes="batch feature", per="glimpse"))
    with trace(model, keep=["query"]) as seen:
        model(VALUES)
    assert seen["query"].tensor.shape == (1, 2, 3)


# Gradients


def test_readings_are_detached_unless_gradients_are_asked_for():
    model = Pair()
    values = VALUES.clone().requires_grad_()
    with trace(model, edits={"query": lambda query: query * 3}) as seen:
        output = model(values)
    assert not any(reading.tensor.requires_grad for reading in seen.values())
    assert not seen["query"].before.requires_grad
    output.sum().backward()
    assert torch.equal(values.grad, torch.full_like(VALUES, 6))


def test_with_gradients_the_output_can_be_differentiated_by_a_reading():
    model = Two()
    values = VALUES.clone().requires_grad_()
    with trace(model, gradients=True) as seen:
        output = model(values)
    (gradient,) = torch.autograd.grad(output.square().sum() / 2, seen["first.key"].tensor)
    assert torch.equal(gradient, 2 * (4 * VALUES + 3))


# Who listens


def test_a_layer_learns_which_of_its_taps_somebody_hears():
    model = Two()
    heard = [(model.first, "query"), (model.first, "key"), (model.blocks[0], "query"), (model.blocks[0], "key")]
    assert not any(layer.hears(name) for layer, name in heard)
    with trace(model, keep=["first.query"], edits={"blocks.0.key": torch.neg}):
        assert [layer.hears(name) for layer, name in heard] == [True, False, False, True]
        with trace(Pair(), keep=["query"]) as inner:
            assert [layer.hears(name) for layer, name in heard] == [True, False, False, True]
            inner._used.add("query")  # this inner trace is here to be looked through only
            inner._kept.clear()
        model(VALUES)
    assert not any(layer.hears(name) for layer, name in heard)


def test_addresses_lists_axes_and_shapes_in_the_order_of_the_pass():
    assert tap_paths(Two(), VALUES) == {
        "first.query": (("batch", "feature"), (2, 3)),
        "first.key": (("batch", "feature"), (2, 3)),
        "blocks.0.query": (("batch", "feature"), (2, 3)),
        "blocks.0.key": (("batch", "feature"), (2, 3)),
    }


def test_a_trace_leaves_the_model_as_it_was():
    model = Attention(features=2, heads=1, head_size=2)
    before = copy.deepcopy(model)
    names = set(vars(model))
    with trace(model):
        model(torch.randn(1, 3, 2))
        inside = copy.deepcopy(model)
        during = set(model.state_dict())
    assert set(vars(model)) == names
    assert during == set(before.state_dict()) == set(model.state_dict()) == set(inside.state_dict())
    assert repr(model) == repr(before)
    assert all(not module._forward_hooks and not module._forward_pre_hooks for module in model.modules())
    for name, tensor in before.state_dict().items():
        assert torch.equal(tensor, model.state_dict()[name])


def test_a_copy_made_inside_a_trace_is_another_model_and_is_not_heard():
    model = Pair()
    with trace(model, edits={"query": torch.neg}):
        model(VALUES)
        assert torch.equal(copy.deepcopy(model)(VALUES), 2 * VALUES + 1)
