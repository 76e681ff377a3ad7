"""Measures of several layers, by cases computed by hand: attnviz/measures/vision_transformer."""

import math
from functools import partial

import networkx
import numpy as np
import pytest
import torch

from attnviz import models
from attnviz.edits import scale
from attnviz.errors import BadInput
from attnviz.grids import Grid
from attnviz.measures.switched import attention_off, changes, head_off, key_off
from attnviz.measures.vision_transformer.late_registers import WithRegister, move, outliers, register_neurons
from attnviz.measures.vision_transformer.normal import by_constant, found_in
from attnviz.measures.vision_transformer.over_layers import (
    attention_flow,
    by_layer,
    mixed,
    rollout,
    weighted_rollout,
    weights_and_gradients,
)
from attnviz.tracing import trace

from .outlier import with_an_outlier

CONFIG = {
    "classes": ("a", "b", "c"), "features": 8, "heads": 2, "hidden": 6, "layers": 2, "patch": 2, "rows": 4, "columns": 4
}  # fmt: skip
WEIGHTS = [f"layers.{layer}.attention.weights" for layer in range(2)]


@pytest.fixture(scope="module")
def model() -> torch.nn.Module:
    return models.spec("vision_transformer").build(CONFIG, torch.Generator().manual_seed(0)).double().eval()


@pytest.fixture(scope="module")
def images() -> torch.Tensor:
    return torch.rand(1, 1, 4, 4, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


def test_a_head_that_looks_at_its_neighbour_alone_has_distance_one_stride_and_no_entropy():
    grid = Grid(1, 2, prefix=1, stride=4)
    key = torch.eye(3, dtype=torch.float64)[None] * 1e3
    query = torch.eye(3, dtype=torch.float64)[[0, 2, 1]][None]  # the class token at itself, patches at one another
    found = by_layer([(query, key)], grid)
    assert found.distance[0, 0] == pytest.approx(4)
    assert found.entropy[0, 0] == pytest.approx(0, abs=1e-12)
    assert found.nowhere[0, 0] == pytest.approx(1 / 3)
    assert (found.even_distance, found.even_nowhere) == (2, 1 / 3)
    assert found.even_entropy == pytest.approx(math.log2(3))


def test_a_rollout_mixes_each_layer_with_itself_in_equal_parts():
    first = torch.tensor([[[1.0, 0.0], [1.0, 0.0]]])
    second = torch.tensor([[[0.0, 1.0], [0.0, 1.0]]])
    # (I + A) / 2: the first is [[1, 0], [.5, .5]], the second [[.5, .5], [0, 1]]; the product of second and first:
    expected = torch.tensor([[0.75, 0.25], [0.5, 0.5]])
    torch.testing.assert_close(rollout(torch.stack([first, second])), expected)


@pytest.mark.parametrize("reader", [[1.0, 0, 0, 0], [0, 1 / 3, 1 / 3, 1 / 3]])
def test_attention_flow_is_the_maximum_flow_of_networkx(reader: list[float]):
    weights = (2 * torch.randn(3, 2, 4, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)).softmax(-1)
    taken = mixed(weights).numpy()
    graph = networkx.DiGraph()
    for layer, query, key in np.ndindex(3, 4, 4):
        graph.add_edge((layer, key), (layer + 1, query), capacity=taken[layer, query, key])
    for token, share in enumerate(reader):
        graph.add_edge((3, token), "read", capacity=share)
    expected = [networkx.maximum_flow_value(graph, (0, token), "read") for token in range(4)]
    np.testing.assert_allclose(attention_flow(taken, np.array(reader)), expected, atol=1e-9)
    assert max(expected) < sum(expected)  # they share pipes


def test_weighted_rollout_counts_a_weight_only_where_the_answer_would_rise_with_it():
    weights = torch.tensor([[[[0.5, 0.5], [0.5, 0.5]]]])
    gradients = torch.tensor([[[[2.0, -2.0], [0.0, 4.0]]]])
    torch.testing.assert_close(weighted_rollout(weights, gradients), torch.tensor([[2.0, 0.0], [0.0, 3.0]]))


def test_gradients_of_weights_equal_differences_of_the_logit(model, images):
    weights, gradients = weights_and_gradients(model, images, WEIGHTS, 1)
    with torch.no_grad(), trace(model, keep=WEIGHTS) as seen:
        before = model(images)[0, 1]
    torch.testing.assert_close(weights, torch.cat([seen[path].tensor for path in WEIGHTS]))
    for layer, place in ((0, (1, 2, 3)), (1, (0, 0, 4))):
        step = torch.zeros_like(weights[layer])
        step[place] = 1e-6
        with torch.no_grad(), trace(model, keep=(), edits={WEIGHTS[layer]: partial(torch.add, step)}):
            after = model(images)[0, 1]
        assert float((after - before) / 1e-6) == pytest.approx(float(gradients[layer][place]), rel=1e-4, abs=1e-7)
    with pytest.raises(BadInput, match="one picture, not of 2"):
        weights_and_gradients(model, images.expand(2, -1, -1, -1), WEIGHTS, 1)


def test_what_is_switched_off_adds_nothing(model, images):
    attentions = [path.removesuffix(".weights") for path in WEIGHTS]
    same = {f"{attentions[0]}.mixed": scale(1.0)}
    lost, answers = changes(model, images, [same, head_off(attentions[0], 1), key_off(attentions, 2)])
    assert lost[0] == 0 < abs(lost[1:]).min()
    assert len(answers) == 3
    with torch.no_grad(), trace(model, keep=WEIGHTS, edits=key_off(attentions, 2)) as seen:
        model(images)
    for path in WEIGHTS:
        assert torch.equal(seen[path].tensor[..., 2], torch.zeros(1, 2, 5, dtype=torch.float64))
        torch.testing.assert_close(seen[path].tensor.sum(-1), torch.ones(1, 2, 5, dtype=torch.float64))
    taps = ["layers.1.before_norm", "layers.1.feed_forward", "layers.1.output"]
    with torch.no_grad(), trace(model, keep=taps, edits=attention_off(attentions[1])) as seen:
        model(images)
    before, feed, output = (seen[tap].tensor for tap in taps)
    torch.testing.assert_close(output, before + feed)


def test_what_is_the_same_for_all_queries_is_all_or_nothing_in_the_two_plain_cases():
    same = torch.tensor([[[0.5, 0.5, 0.0]] * 3])
    torch.testing.assert_close(by_constant(same, 1), torch.ones(1))
    torch.testing.assert_close(by_constant(torch.eye(3)[None], 1), torch.zeros(1), atol=1e-6, rtol=0)
    torch.testing.assert_close(by_constant(torch.full((2, 1, 3, 3), 1 / 3), 0), torch.zeros(1), atol=1e-6, rtol=0)
    two = torch.stack([torch.eye(2)[None], torch.eye(2).flip(0)[None]])  # two pictures, the opposite of one another
    torch.testing.assert_close(by_constant(two, 0), torch.zeros(1))


def test_a_sink_and_an_outlier_are_found():
    weights = torch.tensor([[[0.0, 1.0, 0.0, 0.0]] * 4])
    tokens = torch.ones(4, 3)
    tokens[2] *= 10
    found = found_in(weights, tokens)
    assert (found.sink, found.token, found.same, found.outliers) == (4, 1, 1, 1)
    assert found.norm == pytest.approx(10)


def test_what_makes_an_outlier_is_moved_to_a_register(model, images):
    assert register_neurons(model, images) == []
    made = with_an_outlier(model, images)
    with torch.no_grad(), trace(made, ["layers.0.output"]) as seen:
        made(images)
    before = outliers(seen["layers.0.output"].at(batch=0), 1)
    assert before.tolist() == [False] * 4 + [True]
    first, *_ = register_neurons(made, images)
    assert (first.layer, first.number) == (0, 0)
    wider = models.spec("vision_transformer").build({**CONFIG, "registers": 1}, None)
    with torch.no_grad(), trace(without := WithRegister(made, wider, [first]), ["wider.layers.0.output"]) as seen:
        without(images)
    norms = seen["wider.layers.0.output"].at(batch=0).norm(dim=-1)
    assert norms.argmax() == 1  # the register, after the class token
    assert not outliers(seen["wider.layers.0.output"].at(batch=0), 2).any()


def test_activations_are_moved_and_nothing_else():
    given = torch.arange(12.0).reshape(1, 4, 3)
    found = move(given, [1], prefix=2)
    assert found[0, :, 1].tolist() == [1.0, 10.0, 0.0, 0.0]
    assert torch.equal(found[..., [0, 2]], given[..., [0, 2]])
