"""The closed vocabulary of edits, attnviz/edits.py, against the same thing spelled out."""

from collections.abc import Callable, Mapping

import pytest
import torch
from torch import Tensor, nn

from attnviz.edits import Edit, off, scale, set_value, together, uniform
from attnviz.errors import BadInput, TraceError
from attnviz.layers.attention import Attention
from attnviz.tracing import Layer, trace

HEADS, TOKENS, SIZE = 4, 6, 3


class Glimpses(Layer):
    """A layer that is reached three times in one pass."""

    taps = ("query",)

    def forward(self, values: Tensor) -> Tensor:
        for _ in range(3):
            values = self.tap("query", values + 1, axes="batch feature", per="glimpse")
        return values


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = Attention(features=5, heads=HEADS, head_size=SIZE)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.attention(tokens)


@pytest.fixture
def model() -> Model:
    torch.manual_seed(0)
    return Model().double().requires_grad_(False)


@pytest.fixture
def tokens() -> Tensor:
    return torch.randn(2, TOKENS, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


def edited(model: nn.Module, tokens: Tensor, edits: Mapping[str, Edit], keep: str = "attention.mixed") -> Tensor:
    with trace(model, keep, edits) as seen:
        model(tokens)
    return seen[keep].tensor


def mixed(model: Model, tokens: Tensor) -> Tensor:
    return edited(model, tokens, {})


def test_scale_multiplies_the_named_part_only(model: Model, tokens: Tensor) -> None:
    before = mixed(model, tokens)
    after = edited(model, tokens, {"attention.mixed": scale(2.5, head=1)})
    assert torch.equal(after[:, 1], before[:, 1] * 2.5)
    assert torch.equal(after[:, [0, 2, 3]], before[:, [0, 2, 3]])


def test_several_places_of_several_axes_are_meant_together(model: Model, tokens: Tensor) -> None:
    expected = mixed(model, tokens).clone()
    for head in (0, 3):
        for token in (1, 5):
            expected[:, head, token] = 0
    assert torch.equal(edited(model, tokens, {"attention.mixed": off(head=[0, 3], token=(1, 5))}), expected)


def test_without_an_index_the_whole_is_meant(model: Model, tokens: Tensor) -> None:
    assert torch.equal(edited(model, tokens, {"attention.mixed": scale(-1)}), -mixed(model, tokens))
    assert not edited(model, tokens, {"attention.mixed": off()}).any()


def test_a_part_that_is_switched_off_is_zero_even_where_it_was_no_number(model: Model, tokens: Tensor) -> None:
    edits = together({"attention.mixed": set_value(torch.nan, head=2)}, {"attention.mixed": off(head=2)})
    assert not edited(model, tokens, edits)[:, 2].any()


@pytest.mark.parametrize(
    ("value", "index"),
    [
        (0.5, {"head": 1}),
        ([1.0, 2.0, 3.0], {"head": 1, "token": 4}),
        (torch.arange(TOKENS * SIZE).view(TOKENS, SIZE), {"head": [0, 2]}),
        ([1.0, 2.0, 3.0], {"head": 1}),
        (torch.arange(HEADS * TOKENS * SIZE).view(HEADS, TOKENS, SIZE), {}),
        (torch.arange(TOKENS), {"head": 1, "feature": 2}),
    ],
)
def test_put_sets_a_number_or_an_array_over_the_axes_that_are_left(
    model: Model, tokens: Tensor, value: object, index: dict
) -> None:
    expected = mixed(model, tokens).clone()
    named = tuple(index.get(axis, slice(None)) for axis in ("batch", "head", "token", "feature"))
    expected[named] = torch.as_tensor(value, dtype=torch.float64)
    assert torch.equal(edited(model, tokens, {"attention.mixed": set_value(value, **index)}), expected)


def test_put_says_which_shape_it_expected(model: Model, tokens: Tensor) -> None:
    with pytest.raises(TraceError, match=r"cover token 6, feature 3; it is \(3, 6\)"):
        edited(model, tokens, {"attention.mixed": set_value(torch.zeros(SIZE, TOKENS), head=1)})


# A head, switched off or made uniform where its values are mixed, against the same at its weights.


def test_off_is_what_weights_of_zero_give(model: Model, tokens: Tensor) -> None:
    heads = [1, 3]
    fused = edited(model, tokens, {"attention.mixed": off(head=heads)}, "attention.output")
    spelled_out = edited(model, tokens, {"attention.weights": off(head=heads)}, "attention.output")
    torch.testing.assert_close(fused, spelled_out)
    assert not torch.allclose(fused, edited(model, tokens, {}, "attention.output"))


def test_uniform_is_what_even_weights_give(model: Model, tokens: Tensor) -> None:
    heads = [0, 2]
    fused = edited(model, tokens, uniform("attention.mixed", head=heads), "attention.output")
    even = set_value(1 / TOKENS, head=heads)
    spelled_out = edited(model, tokens, {"attention.weights": even}, "attention.output")
    torch.testing.assert_close(fused, spelled_out)
    assert not torch.allclose(fused, edited(model, tokens, {}, "attention.output"))


@pytest.mark.parametrize("edits", [{"attention.mixed": off(head=1)}, uniform("attention.mixed", head=1)])
def test_neither_makes_the_layer_spell_its_weights_out(
    model: Model, tokens: Tensor, edits: Mapping[str, Edit], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Tensor, "softmax", lambda *_: pytest.fail("the weights were computed"))
    edited(model, tokens, edits, "attention.output")
    with pytest.raises(pytest.fail.Exception):
        edited(model, tokens, {"attention.weights": off(head=1)}, "attention.output")


def test_uniform_sees_edited_values_and_gradients_pass(model: Model, tokens: Tensor) -> None:
    tokens.requires_grad_(True)
    edits = together(uniform("attention.mixed", head=2), {"attention.value": scale(3, head=2)})
    with trace(model, ["attention.value", "attention.mixed"], edits, gradients=True) as seen:
        model(tokens)
    expected = seen["attention.value"].tensor.mean(2, keepdim=True).expand_as(seen["attention.mixed"].tensor)
    torch.testing.assert_close(seen["attention.mixed"].tensor[:, 2], expected[:, 2])
    assert torch.autograd.grad(seen["attention.mixed"].tensor[:, 2].sum(), tokens)[0].any()


def test_uniform_of_the_layer_itself(model: Model, tokens: Tensor) -> None:
    layer = model.attention
    expected = edited(model, tokens, uniform("attention.mixed", head=1))
    assert torch.equal(edited(layer, tokens, uniform("mixed", head=1), "mixed"), expected)


def test_uniform_belongs_to_a_tap_that_mixes() -> None:
    with pytest.raises(BadInput, match="'attention.mixed', not at 'attention.weights'"):
        uniform("attention.weights", head=1)


def test_two_uniform_heads_and_one_off_at_one_address(model: Model, tokens: Tensor) -> None:
    edits = together(
        uniform("attention.mixed", head=0), uniform("attention.mixed", head=1), {"attention.mixed": off(head=3)}
    )
    found = edited(model, tokens, edits)
    both = edited(model, tokens, uniform("attention.mixed", head=[0, 1]))
    assert torch.equal(found[:, :3], both[:, :3])
    assert not found[:, 3].any()


# Together


def test_edits_of_one_address_happen_in_their_order(model: Model, tokens: Tensor) -> None:
    assert (edited(model, tokens, {"attention.mixed": [set_value(2), scale(3), scale(0.5, head=0)]})[:, 1:] == 6).all()
    assert (edited(model, tokens, {"attention.mixed": [scale(3), set_value(2)]}) == 2).all()


def test_plain_functions_mix_with_the_vocabulary(model: Model, tokens: Tensor) -> None:
    assert (edited(model, tokens, {"attention.mixed": (set_value(2), torch.neg)}) == -2).all()


# Several visits


def test_an_index_may_name_the_visit() -> None:
    layer = Glimpses()
    with trace(layer, edits={"query": set_value([10.0, 20.0], glimpse=1)}) as seen:
        layer(torch.zeros(1, 2))
    assert seen["query"].tensor[:, 0].tolist() == [[1, 1], [10, 20], [11, 21]]


def test_a_visit_that_never_came_is_an_error_even_beside_one_that_did() -> None:
    layer = Glimpses()
    with (
        pytest.raises(TraceError, match="'query' was never used"),
        trace(layer, edits={"query": [scale(2, glimpse=0), off(glimpse=3)]}),
    ):
        layer(torch.zeros(1, 2))


# What is wrong is said in one sentence


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (off(heed=1), r"attention\.mixed has no axis 'heed'. Did you mean 'head'\? There are: batch, head, token"),
        (off(key=1), r"attention\.mixed has no axis 'key'. .*There are: batch, head"),
        (off(head=4), r"attention\.mixed has no head 4; there are 4, counted from 0"),
        (scale(2, head=[0, 9]), r"has no head 9"),
    ],
)
def test_an_index_that_is_not_there(model: Model, tokens: Tensor, edit: Edit, said: str) -> None:
    with pytest.raises(TraceError, match=said):
        edited(model, tokens, {"attention.mixed": edit})


def test_the_axis_of_visits_is_listed_too() -> None:
    layer = Glimpses()
    with (
        pytest.raises(TraceError, match="There are: batch, feature, glimpse"),
        trace(layer, edits={"query": off(head=1)}),
    ):
        layer(torch.zeros(1, 2))


def test_an_address_that_is_not_there(model: Model, tokens: Tensor) -> None:
    with pytest.raises(TraceError, match="'attention.mixt'.*Did you mean 'attention.mixed'"):
        edited(model, tokens, {"attention.mixt": off(head=1)})


@pytest.mark.parametrize("places", [-1, 1.0, True, "1", [], [0, -1], None])
def test_an_index_that_is_no_place(places: object) -> None:
    with pytest.raises(BadInput, match="head=.* is not an index"):
        off(head=places)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: scale("2"), "scale takes one number, .* not '2'"),
        (lambda: scale(torch.ones(2)), "scale takes one number"),
        (lambda: set_value("x"), "set_value takes a number or an array of numbers, not 'x'"),
        (lambda: set_value(None), "set_value takes .* not None"),
        (lambda: set_value([[1], [1, 2]]), "set_value takes a number or an array of numbers"),
        (lambda: set_value(torch.tensor(1j)), "set_value takes real numbers, not torch.complex64"),
        (lambda: off(["attention.mixed"]), "A tap path is a text"),
        (lambda: uniform(None), "A tap path is a text, .* not None"),
        (lambda: together({("attention", "mixed"): off()}), "A tap path is a text"),
    ],
)
def test_what_is_no_number_and_no_tap_path_is_refused(make: Callable[[], object], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        make()


def test_a_number_is_set_in_the_precision_of_the_model(model: Model, tokens: Tensor) -> None:
    assert edited(model, tokens, {"attention.mixed": set_value(0.1)}).unique().tolist() == [0.1]
