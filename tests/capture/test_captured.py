"""What is captured of modules without taps, and what is refused, on modules small enough to compute by hand."""

import threading
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

import attnviz
from attnviz import edits
from attnviz.errors import TraceError
from attnviz.tracing import Layer, trace
from tests.capture.modules import (
    Additive,
    AtOnce,
    AttentionFree,
    Best,
    ByHand,
    ByMethod,
    Channels,
    Chunks,
    Combined,
    Deformable,
    Differential,
    Diffused,
    Fused,
    Hard,
    InPlace,
    Joined,
    Landmarks,
    Layered,
    Linear,
    Neighbours,
    OneQuery,
    Pointwise,
    Rows,
    Sigmoid,
    Sink,
    Sorted,
    Stacked,
    Talking,
    Twice,
    by_steps,
    tokens,
)


def softmax_by_hand(layer: nn.Module, given: Tensor, heads: int = 2) -> tuple[Tensor, Tensor]:
    """Return weights and values of a layer of `modules`, spelled out in float64."""
    batch, count, width = given.shape
    query, key, value = (
        part.reshape(batch, count, heads, width // heads).transpose(1, 2)
        for part in F.linear(given.double(), layer.qkv.weight.double(), layer.qkv.bias.double()).chunk(3, -1)
    )
    return (query @ key.mT / (width // heads) ** 0.5).softmax(-1), value


@pytest.mark.parametrize("build", [Fused, ByHand, Pointwise])
def test_weights_and_mixed_values_equal_those_computed_apart(build: type[nn.Module]) -> None:
    layer, given = build(), tokens()
    seen = attnviz.watch(layer)(given)
    weights, value = softmax_by_hand(layer, given)
    assert list(seen) == ["query", "key", "value", "scores", "weights", "mixed"]
    assert seen["weights"].axes == ("batch", "head", "query", "key")
    assert seen["mixed"].axes == ("batch", "head", "token", "feature")
    assert torch.allclose(seen["weights"].tensor.double(), weights, atol=1e-6)
    assert torch.allclose(seen["mixed"].tensor.double(), weights @ value, atol=1e-6)
    assert torch.allclose(seen["value"].tensor.double(), value, atol=1e-6)


@pytest.mark.parametrize("build", [Neighbours, OneQuery, Layered])
@pytest.mark.parametrize("batch", [1, 2])
def test_queries_without_an_axis_of_their_own_are_captured(build: type[nn.Module], batch: int) -> None:
    model, given = build(), tokens(batch)
    found = attnviz.watch(model)(given)
    weights, value = softmax_by_hand(model, given)
    if build is OneQuery:
        assert torch.allclose(found["weights"].tensor.double(), weights[:, :, :1], atol=1e-6)
    elif build is Layered:  # a call for each head of each picture
        shown = torch.stack([one.tensor[0, 0] for path, one in found.items() if "weights" in path])
        assert torch.allclose(shown.double(), weights.flatten(0, 1), atol=1e-6)
    else:
        shown = found["weights"].tensor.transpose(1, 2)[..., 0, :]
        near = (weights**2).gather(-1, model.near.expand(batch, 2, 5, 3))  # without the factor of 0.5
        assert torch.allclose(shown.double(), near / near.sum(-1, keepdim=True), atol=1e-6)
    assert torch.equal(found.output, model(given))


@pytest.mark.parametrize("name", ["addmm", "inner", "matmul", "tensordot"])
def test_products_of_other_names_are_captured(name: str) -> None:
    class Plain(nn.Module):
        def forward(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
            products = {
                "addmm": lambda: torch.addmm(torch.zeros(5, 4), query, key.mT),
                "inner": lambda: torch.inner(query, key),
                "matmul": lambda: torch.linalg.matmul(query, key.mT),
                "tensordot": lambda: torch.tensordot(query, key, ([1], [1])),
            }
            return torch.tensordot(products[name]().softmax(-1), value, 1)

    given = torch.randn(5, 3), torch.randn(4, 3), torch.randn(4, 2)
    seen = attnviz.watch(Plain())(*given)
    for tap, expected in zip(("query", "key", "value"), given, strict=True):
        assert torch.equal(seen[tap].at(head=0).flatten(0, 1), expected)
    assert torch.allclose(seen["weights"].at(head=0).flatten(0, 1), (given[0] @ given[1].mT).softmax(-1))


def test_features_of_a_layer_on_a_product_are_no_product() -> None:
    class Positions(ByHand):
        def split(self, given: Tensor) -> tuple[Tensor, Tensor, Tensor]:
            given = given @ torch.eye(8).roll(1, 0)
            weights, biases = self.qkv.weight.chunk(3), self.qkv.bias.chunk(3)
            parts = (F.linear(given, weight, bias) for weight, bias in zip(weights, biases, strict=True))
            return tuple(part.reshape(1, 5, 2, 4).transpose(1, 2) for part in parts)

    seen = attnviz.watch(model := Positions())(tokens())
    assert torch.allclose(seen["weights"].tensor.double(), softmax_by_hand(model, tokens().roll(-1, -1))[0], atol=1e-6)


def test_weights_of_torchs_attention_are_computed_in_double_precision() -> None:
    reading = attnviz.watch(Fused())(tokens())["weights"]
    assert reading.tensor.dtype == torch.float64
    assert torch.allclose(reading.tensor.sum(-1), torch.ones((), dtype=torch.float64), atol=1e-12)


def test_the_log_normaliser_turns_scores_into_weights() -> None:
    seen = attnviz.watch(Fused())(tokens())
    call = seen.captured.calls[""]
    found = (seen["scores"].tensor - call.log_normaliser()[..., None]).exp()
    assert torch.allclose(found, seen["weights"].tensor)


@pytest.mark.parametrize("causal", [False, True])
def test_masks_hide_keys(causal: bool) -> None:
    given = tokens()
    mask = torch.ones(5, 5, dtype=torch.bool).tril()
    layer = Fused(causal=True) if causal else Fused(mask=mask)
    weights = attnviz.watch(layer)(given)["weights"].tensor
    assert bool((weights.masked_select(~mask) == 0).all())
    assert torch.allclose(weights.sum(-1), torch.ones((), dtype=weights.dtype))


def test_a_row_that_may_look_at_nothing_has_weights_of_zero() -> None:
    mask = torch.ones(5, 5, dtype=torch.bool)
    mask[2] = False
    assert float(attnviz.watch(Fused(mask=mask))(tokens())["weights"].at(query=2).abs().sum()) == 0


@pytest.mark.parametrize(
    ("build", "why"),
    [
        (Differential, "combined with that of another attention of the same layer"),
        (ByMethod, "combined with that of another attention of the same layer"),
        (Combined, "combined with that of another attention of the same layer"),
        (Joined, "combined with that of another attention of the same layer"),
        (Stacked, "combined with that of another attention of the same layer"),
        (Chunks, "combined with that of another attention of the same layer"),
        (Sink, "an attention sink"),
        (Sigmoid, "a sigmoid"),
        (Sorted, "do not come from the product of a query and a key"),
        (Talking, "its weights are changed between the softmax and the values"),
        (InPlace, "its weights are changed between the softmax and the values"),
        (lambda: Landmarks(inverse=by_steps), "a low-rank approximation"),
        (lambda: Landmarks(inverse=torch.linalg.pinv), "a low-rank approximation"),
        (lambda: Diffused(square=True), "or twice, before they reach a query"),
        (lambda: Diffused(square=False), "or twice, before they reach a query"),
        (Channels, "its softmax runs over channels"),
        (Linear, "linear attention"),
        (AtOnce, "a product of a product"),
        (Best, "do not come from the product of a query and a key"),
        (lambda: Best(gathered=True), "do not come from the product of a query and a key"),
        (Deformable, "do not come from the product of a query and a key"),
        (Hard, "does not run over the keys"),
        (Additive, "do not come from the product of a query and a key"),
        (Rows, "its weights are summed over queries"),
    ],
)
def test_what_is_no_weighting_by_a_softmax_over_keys_is_refused(build: Callable[[], nn.Module], why: str) -> None:
    with pytest.raises(TraceError, match=why):
        attnviz.watch(build())(tokens())


@pytest.mark.parametrize("bias", [0.0, 3.0])
@pytest.mark.parametrize("turn", [lambda one: one.mT, lambda one: one.transpose(2, 3)])
def test_key_times_query_that_is_transposed_is_named_rightly(turn: Callable[[Tensor], Tensor], bias: float) -> None:
    class Reversed(ByHand):
        def weights(self, query: Tensor, key: Tensor) -> Tensor:
            distance = torch.arange(5.0)[:, None] - torch.arange(5.0)
            return (turn(key @ query.mT) / 2 - bias * distance.relu()).softmax(-1)

    seen, (query, key, _) = attnviz.watch(model := Reversed())(tokens()), model.split(tokens())
    assert torch.allclose(seen["query"].tensor, query) and torch.allclose(seen["key"].tensor, key)


@pytest.mark.parametrize("solve", [torch.linalg.solve, lambda one, other: torch.linalg.lstsq(one, other).solution])
def test_weights_times_an_inverse_that_is_solved_for_are_refused(solve: Callable[..., Tensor]) -> None:
    seen = attnviz.watch(Landmarks(solve=solve))(tokens())
    assert [tuple(seen[path].tensor.shape[-2:]) for path in seen if path.endswith("weights")] == [(2, 5)]  # collected
    assert "Refused: @1, @2: its weights are multiplied with other weights" in seen.report()


def test_what_landmarks_collect_and_what_tokens_take_from_them_are_two_attentions() -> None:
    seen = attnviz.watch(model := Landmarks())(tokens())
    assert [tuple(seen[path].tensor.shape[-2:]) for path in ("weights", "@1.weights")] == [(2, 5), (5, 2)]
    mixed = seen["@1.weights"].tensor @ (seen["weights"].tensor @ seen["value"].tensor)
    assert torch.allclose(seen.output, model.join(mixed), atol=1e-6)


def test_dropout_is_refused_with_what_to_do() -> None:
    with pytest.raises(TraceError, match=r"call model\.eval\(\) first"):
        attnviz.watch(Fused(dropout=0.5))(tokens())


def test_nothing_captured_names_modules_that_look_like_attention() -> None:
    with pytest.raises(TraceError, match=r"No attention was captured in Sequential.*look like attention: 0\."):
        attnviz.watch(nn.Sequential(AttentionFree()))(tokens())


def test_modules_that_carry_a_state_are_named_beside_what_was_captured() -> None:
    class Recurrence(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.time_decay = nn.Parameter(torch.full((8,), 0.5))

        def forward(self, given: Tensor) -> Tensor:
            found = [given[:, 0]]
            for token in given[:, 1:].unbind(1):
                found.append(found[-1] * self.time_decay + token)
            return torch.stack(found, 1)

    report = attnviz.watch(nn.Sequential(Fused(), Recurrence()))(tokens()).report()
    assert "1 attention call captured" in report
    assert "In 1 a state is carried from token to token in place of attention" in report
    with pytest.raises(TraceError, match="In the model itself a state is carried"):
        attnviz.watch(Recurrence())(tokens())


def test_a_refused_call_says_why_where_it_is_asked_for_and_the_others_are_shown() -> None:
    model = nn.Sequential(Fused(), Talking())
    seen = attnviz.watch(model)(tokens())
    assert "0.weights" in seen and "1.weights" not in seen
    with pytest.raises(TraceError, match="1 cannot be shown: its weights are changed"):
        seen["1.weights"]
    with pytest.raises(TraceError, match="1 cannot be shown"):
        attnviz.watch(model, keep="1.*")(tokens())
    assert "1 attention call captured" in seen.report() and "Refused: 1: its weights are changed" in seen.report()


def test_two_visits_and_two_calls_of_one_module_are_told_apart() -> None:
    inner = Fused()
    model = nn.Sequential(inner, inner, Twice())
    seen = attnviz.watch(model, keep="*.weights")(tokens())
    assert list(seen) == ["0.weights", "0@1.weights", "2.weights", "2@1.weights"]
    visits = [(call.where.path, call.where.visit) for call in seen.captured.calls.values()]
    assert visits == [("0", 0), ("0", 1), ("2", 0), ("2", 0)]


def test_patterns_choose_what_is_kept() -> None:
    model = nn.Sequential(Fused(), Fused(), Fused())
    with trace(model, keep=["1.weights", "2.mixed"]) as seen:
        model(tokens())
    assert list(seen) == ["1.weights", "2.mixed"]
    assert [sorted(call.kept) for call in seen.captured.calls.values()] == [[], ["key", "query"], ["mixed"]]


def test_a_part_of_a_tap_is_kept_as_of_taps() -> None:
    whole = attnviz.watch(model := Fused())(tokens())["weights"]
    part = attnviz.watch(model, keep={"weights": {"head": 1}})(tokens())["weights"]
    assert part.axes == ("batch", "query", "key") and torch.equal(part.tensor, whole.at(head=1))


def test_a_pattern_that_no_call_matches_names_those_that_there_are() -> None:
    model = nn.Sequential(Fused())
    with (
        pytest.raises(TraceError, match=r"No captured call matches '1\.weights'.*0\.weights"),
        trace(model, ["1.weights"]),
    ):
        model(tokens())


def test_the_answer_stays_the_same_to_the_bit_and_nothing_is_left_on_the_model() -> None:
    model = nn.Sequential(Fused(), ByHand(), Talking())
    given = tokens()
    bare = model(given)
    assert torch.equal(attnviz.watch(model)(given).output, bare)
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.modules())
    assert "forward" not in model[0].__dict__


def test_multi_head_attention_is_opened_and_the_report_says_that_its_fast_path_was_off() -> None:
    layer = nn.MultiheadAttention(8, 2, batch_first=True).eval()
    given = tokens()
    _, expected = layer(given, given, given, average_attn_weights=False)
    seen = attnviz.watch(layer)(given, given, given, need_weights=False)
    assert torch.allclose(seen["weights"].tensor.float(), expected, atol=1e-6)
    assert "without torch's fast path" in seen.report()
    assert torch.allclose(attnviz.watch(layer)(given, given, given)["weights"].tensor, expected, atol=1e-6)


def test_a_layer_with_taps_of_its_own_is_left_to_them() -> None:
    class Tapped(Layer):
        taps = ("values",)

        def __init__(self) -> None:
            super().__init__()
            self.inner = Fused()

        def forward(self, given: Tensor) -> Tensor:
            return self.tap("values", self.inner(given), "batch token feature")

    model = nn.Sequential(Tapped(), Fused())
    with trace(model) as seen:
        model(tokens())
    assert list(seen) == ["0.values"]
    with trace(model, ["0.values", "1.weights"]) as seen:
        model(tokens())
    assert list(seen) == ["0.values", "1.weights"]
    assert (
        list(attnviz.watch(model, keep=["*values", "*weights"])(tokens())) == ["0.values", "1.value", "1.weights"][::2]
    )


def test_a_pass_in_another_thread_is_no_silent_miss() -> None:
    model = Fused()
    with pytest.raises(TraceError, match="its thread"), trace(model):
        thread = threading.Thread(target=model, args=(tokens(),))
        thread.start()
        thread.join()


def test_two_threads_watch_one_model_and_do_not_meet() -> None:
    model = Fused()
    found: dict[int, bool] = {}

    def visit(number: int) -> None:
        given = tokens() + number
        for _ in range(20):
            weights = attnviz.watch(model, keep="weights")(given)["weights"].tensor
            expected, _value = softmax_by_hand(model, given)
            found[number] = found.get(number, True) and torch.allclose(weights, expected, atol=1e-6)

    threads = [threading.Thread(target=visit, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == dict.fromkeys(range(4), True)


def test_a_trace_inside_another_sees_the_same() -> None:
    model = Fused()
    with trace(model, "weights") as outer:
        inner = attnviz.watch(model, "weights")(tokens())
    assert list(outer) == list(inner) == ["weights"]
    assert torch.equal(outer["weights"].tensor, inner["weights"].tensor)


def test_under_vmap_calls_are_refused_by_name() -> None:
    model = ByHand()
    with pytest.raises(TraceError, match=r"under torch\.vmap"), trace(model):
        torch.vmap(model)(tokens()[None])


def test_weights_can_be_differentiated_when_asked() -> None:
    for build in (Fused, ByHand):
        model = build()
        seen = attnviz.watch(model, "*weights", gradients=True)(tokens())
        weights = seen["weights"].tensor
        (slope,) = torch.autograd.grad(seen.output.sum(), weights)
        _, value = softmax_by_hand(model, tokens())
        back = (value @ model.out.weight.double().sum(0).reshape(2, 4)[None, :, :, None]).mT.expand_as(slope)
        assert torch.allclose(slope.double(), back, atol=1e-5)
        assert not attnviz.watch(model, "*weights")(tokens())["weights"].tensor.requires_grad


def test_gradients_that_would_be_dead_or_false_are_refused() -> None:
    for build in (Fused, ByHand):
        with torch.no_grad(), pytest.raises(TraceError, match="computed without gradients"):
            attnviz.watch(build(), "weights", gradients=True)(tokens())

    def checkpointed(model: nn.Module) -> Tensor:
        with trace(model, "weights", gradients=True, capture=True) as seen:
            checkpoint(model, tokens().requires_grad_(), use_reentrant=False)
        return seen["weights"].tensor

    with pytest.raises(TraceError, match=r"checkpoint, .*leave out gradients=True"):
        checkpointed(Fused())
    assert checkpointed(ByHand()).requires_grad  # nothing is computed otherwise than by the model


@pytest.mark.parametrize("context", ["inference", "autocast", "bfloat16", "checkpoint"])
def test_other_precisions_and_modes(context: str) -> None:
    model, given = Fused(), tokens()
    if context == "inference":
        with torch.inference_mode():
            seen = attnviz.watch(model)(given)
        assert torch.equal(seen["weights"].tensor.clone(), attnviz.watch(model)(given)["weights"].tensor)
    elif context == "autocast":
        with torch.autocast("cpu", torch.bfloat16):
            assert attnviz.watch(model)(given)["query"].tensor.dtype == torch.bfloat16
            assert attnviz.watch(ByHand())(given)["weights"].tensor.dtype == torch.bfloat16
    elif context == "bfloat16":
        weights = attnviz.watch(model.bfloat16())(given.bfloat16())["weights"].tensor
        assert torch.allclose(weights, softmax_by_hand(model, given)[0], atol=2e-2)
    else:
        with trace(model, "weights") as seen:
            checkpoint(model, given.requires_grad_(), use_reentrant=False).sum().backward()
        assert list(seen) == ["weights"] and given.grad is not None


def test_an_edit_of_a_refused_or_unknown_call_is_an_error() -> None:
    with pytest.raises(TraceError, match="cannot be shown"):
        attnviz.watch(Talking(), keep=[], edits=edits.off("mixed", head=1))(tokens())
    with pytest.raises(TraceError, match="was never used: no call of that path was captured"):
        attnviz.watch(nn.Sequential(Fused()), keep=[], edits=edits.off("7.mixed", head=1))(tokens())
    with pytest.raises(TraceError, match="only scores, weights, value and mixed"):
        attnviz.watch(ByHand(), keep=[], edits=edits.off("query", head=1))(tokens())


def test_the_report_names_what_looks_like_attention_and_was_not_seen() -> None:
    report = attnviz.watch(nn.Sequential(Fused(), AttentionFree()))(tokens()).report()
    assert "Nothing was captured of the apparent attention in 1." in report


def test_a_model_that_cannot_be_called_again_says_that_places_were_not_found() -> None:
    class Once(Fused):
        def forward(self, given: Tensor) -> Tensor:
            if hasattr(self, "called"):
                raise ValueError("Once is enough.")
            self.called = True
            return super().forward(given.flatten(1)[:, :40].reshape(1, 5, 8))

    seen = attnviz.watch(Once())(torch.randn(1, 3, 8, 8))
    assert seen["weights"].grid is None
    assert "The positions of tokens were not found: ValueError: Once is enough." in seen.report()
