"""What a trace refuses, as it would show nothing, or something false: attnviz/tracing.py."""

import copy

import pytest
import torch
from torch import Tensor, nn

from attnviz import edits
from attnviz.capture.watching import watch
from attnviz.errors import TraceError
from attnviz.tracing import Layer, trace
from tests.traced_layers import VALUES, Free, Pair, Two, in_place, refused
from tests.traced_layers import nobody_listens_afterwards as nobody_listens_afterwards


def test_a_pattern_that_matches_no_tap_names_the_closest():
    refused(r"No tap matches 'first\.kee'\. Did you mean 'first\.key'\? There are: first\.query,", Two(),
            keep=["first.kee"])  # fmt: skip


def test_an_edit_of_no_tap_names_the_closest():
    refused(r"No tap is called 'blocks\.0\.kye'.*Did you mean 'blocks\.0\.key'\?", Two(),
            edits={"blocks.0.kye": torch.neg})  # fmt: skip


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"keep": None}, r"keep takes tap paths, such as \['\*\.weights'\], not None"),
        ({"keep": ["query", 3]}, r"keep takes tap paths, .* not \['query', 3\]"),
        ({"keep": b"query"}, "keep takes tap paths, .* not b'query'"),
        ({"keep": {"query": 3}}, r"keep takes tap path -> part, .* not 'query': 3"),
        ({"keep": {"query": None}}, r"keep takes tap path -> part, .* not 'query': None"),
        ({"edits": "query"}, "Edits are given as tap path -> edit, .* not as 'query'"),
        ({"edits": [{"query": torch.neg}, "key"]}, "Edits are given as tap path -> edit, .* not as 'key'"),
        ({"edits": {"query": 0.5}}, r"The edit of 'query' must be one of attnviz.edits, .*, not a float"),
        ({"edits": {"query": [torch.neg, None]}}, "The edit of 'query' must be one of .*, not a NoneType"),
        ({"edits": {"query": VALUES}}, "The edit of 'query' must be one of .*, not a Tensor"),
        ({"edits": {"query": edits.off}}, "The edit of 'query' must be one of .*, not edits.off without parentheses"),
        ({"edits": {"query": []}}, "The edits of 'query' are empty, and would change nothing"),
    ],
)
def test_what_is_no_path_no_part_and_no_edit_is_refused(options, message):
    refused(message, Pair(), **options)


@pytest.mark.parametrize("opened", [trace, watch])
def test_what_is_read_without_its_block_or_its_pass_says_what_is_missing(opened):
    unread = opened(Pair())
    for read in (lambda: unread["query"], lambda: [*unread], lambda: len(unread), lambda: unread.items,
                 lambda: "query" in unread, lambda: unread.output, lambda: unread.report):  # fmt: skip
        with pytest.raises(TraceError, match="^A trace works inside of a `with` block|^attnviz.watch returns a func"):
            read()
    assert not hasattr(unread, "sahpe")
    if opened is trace:
        with pytest.raises(TraceError, match="inside of a `with` block"):
            unread(VALUES)
    else:
        with pytest.raises(TraceError, match="seen = attnviz.watch"), unread:
            pass


def test_a_model_without_taps_or_attention_says_so():
    refused("No attention was captured in Linear. No module looks like attention either", nn.Linear(3, 3))


def test_an_edit_that_is_never_used_is_an_error():
    half = Free(lambda layer, values: layer.tap("query", values, axes="batch feature"))
    refused("The edit of 'key' was never used", half, edits={"key": torch.neg})


def test_a_trace_that_heard_nothing_is_an_error():
    model = Pair()
    with pytest.raises(TraceError, match="The trace recorded nothing: run the model"), trace(model):
        copy.deepcopy(model)(VALUES)


def test_a_pattern_that_is_never_reached_is_an_error_though_another_was():
    half = Free(lambda layer, values: layer.tap("query", values, axes="batch feature"))
    refused(r"'k\*' was never reached. There are: query", half, keep=["query", "k*"])


def test_asking_for_what_was_not_kept_names_the_closest():
    model = Pair()
    with trace(model, keep=["query"]) as seen:
        model(VALUES)
    with pytest.raises(TraceError, match="Nothing was kept of 'qeury'. Did you mean 'query'"):
        seen["qeury"]
    with pytest.raises(TraceError, match="A reading has a tap path, such as 'query', not 0"):
        seen[0]


@pytest.mark.parametrize("axes", ["batch", "batch head feature", "batch batch", "batch width"])
def test_axes_that_do_not_fit_are_refused_with_address_and_shape(axes):
    model = nn.Sequential(Free(lambda layer, values: layer.tap("query", values, axes=axes)))
    refused(rf"0\.query: the axes '{axes}' must be 2 different words for the shape \(2, 3\), out of: batch, h", model)


def test_a_tap_that_its_class_does_not_declare_is_refused():
    refused(
        "weights: Free.taps does not name 'weights'; add it there",
        Free(lambda layer, values: layer.tap("weights", values, axes="batch feature")),
    )


def test_two_taps_must_agree_on_the_batch():
    def body(layer: Layer, values: Tensor) -> Tensor:
        layer.tap("query", values, axes="batch feature")
        return layer.tap("key", values, axes="feature batch")

    refused(r"key: a batch of 3 in the shape \(2, 3\), but query had 2; is 'batch' in the right place", Free(body))


@pytest.mark.parametrize("per", ["batch", "visit"])
def test_the_axis_of_visits_must_be_a_word_that_the_axes_do_not_have(per):
    refused(f"per='{per}' must be an axis", Free(lambda layer, values: layer.tap("query", values, "batch token", per)))


def test_a_second_visit_without_an_axis_for_it_is_an_error():
    refused(r"query was reached a second time, now with shape \(2, 3\).*per=\"step\"", Pair(), runs=2)


def test_visits_of_different_shapes_cannot_be_stacked():
    def body(layer: Layer, values: Tensor) -> Tensor:
        layer.tap("query", values, axes="batch feature", per="glimpse")
        return layer.tap("query", values[:, :2], axes="batch feature", per="glimpse")

    refused(r"query: each visit must have the shape of the first, \(2, 3\), not \(2, 2\)", Free(body), keep=["query"])


def test_a_change_in_place_after_keeping_is_detected():
    refused(r"query, shape \(2, 3\), was changed in place", Free(in_place), keep=["query"])


def test_a_change_in_place_where_nobody_looks_is_nobodys_business():
    model = Free(in_place)
    assert torch.equal(model(VALUES), 2 * VALUES + 1)


def test_a_change_in_place_of_what_was_before_an_edit_is_detected():
    def body(layer: Layer, values: Tensor) -> Tensor:
        doubled = values * 2
        edited = layer.tap("query", doubled, axes="batch feature")
        doubled.add_(1)
        return edited

    refused("query, shape .* was changed in place", Free(body), keep=["query"], edits={"query": torch.neg})


def test_what_is_kept_in_inference_mode_is_safe_from_changes_in_place():
    model = Free(in_place)
    with torch.inference_mode():
        values = VALUES.clone()
        with trace(model, keep=["query"]) as seen:
            output = model(values)
    assert torch.equal(seen["query"].tensor, 2 * VALUES)
    assert torch.equal(output, 2 * VALUES + 1)


def test_an_edit_must_not_change_its_tensor_in_place():
    refused("The edit of 'query' changed its tensor in place", Pair(), edits={"query": lambda values: values.mul_(2)})


@pytest.mark.parametrize(
    ("edit", "came"),
    [
        (lambda values: values[:, :2], r"but returned \(\(2, 2\)"),
        (lambda values: values.double(), "torch.float64"),
        (lambda values: values.to("meta"), "meta"),
        (lambda values: None, r"return a tensor of shape \(2, 3\), but returned None"),
    ],
    ids=["shape", "dtype", "device", "no tensor"],
)
def test_an_edit_must_keep_shape_dtype_and_device(edit, came):
    refused(f"The edit of 'query' must .*{came}", Pair(), edits={"query": edit})
