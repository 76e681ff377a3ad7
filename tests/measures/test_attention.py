"""Numbers from queries, keys and values against plain float64 numpy, attnviz/measures/attention.py."""

import numpy as np
import pytest
import torch

from attnviz.layers.attention import Attention
from attnviz.measures import attention
from attnviz.tracing import trace

ROWS, COLUMNS = 5, 7
HEADS, SIZE = 3, 4


def _some(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).normal(size=shape)).float()


def _weights(query: np.ndarray, key: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights and logarithms of their denominators, in loops over head, query and key."""
    heads, count, size = query.shape
    weights, logarithms = np.zeros((heads, count, len(key[0]))), np.zeros((heads, count))
    for head in range(heads):
        for q in range(count):
            terms = [np.exp(np.dot(query[head, q], k) / np.sqrt(size)) for k in key[head]]
            weights[head, q] = np.array(terms) / sum(terms)
            logarithms[head, q] = np.log(sum(terms))
    return weights, logarithms


@pytest.mark.parametrize("tokens", [1, ROWS * COLUMNS, 512 + 3])
def test_normalisers_turn_scores_into_weights_and_say_what_each_token_receives(tokens):
    heads, size = (HEADS, SIZE) if tokens < 100 else (1, 2)  # past one block of queries
    query, key = _some(heads, tokens, size), _some(heads, tokens, size, seed=1)
    weights, logarithms = _weights(query.double().numpy(), key.double().numpy())
    told, received = attention.normalisers(query, key)
    assert (told.dtype, received.dtype) == (np.float64, np.float64)
    np.testing.assert_allclose(told, logarithms, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(received, weights.mean(1), rtol=1e-4)
    np.testing.assert_allclose(received.sum(1), 1, rtol=1e-5)
    again = np.exp(attention.scores(query, key).double().numpy() - told[..., None])
    np.testing.assert_allclose(again, weights, rtol=1e-4)


def test_tokens_that_occur_often_count_each_time():
    place = torch.from_numpy(np.random.default_rng(2).integers(0, 6, 35))
    query, key = _some(HEADS, 6, SIZE)[:, place], _some(HEADS, 6, SIZE, seed=1)[:, place]
    weights, logarithms = _weights(query.double().numpy(), key.double().numpy())
    told, received = attention.normalisers(query, key)
    np.testing.assert_allclose(told, logarithms, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(received, weights.mean(1), rtol=1e-4)


def test_normalisers_stay_finite_where_scores_are_huge():
    query, key = 300 * _some(1, 35, 1), 300 * _some(1, 35, 1, seed=1)
    told, received = attention.normalisers(query, key)
    highest = (query[0].double() @ key[0].double().T).max(1).values.numpy()
    assert highest.max() > 50_000
    np.testing.assert_allclose(told[0], highest, rtol=1e-5, atol=1)
    assert received.sum() == pytest.approx(1)


def test_an_even_share_is_one_over_the_tokens():
    _, received = attention.normalisers(torch.zeros(2, 35, 1), _some(2, 35, 1))
    np.testing.assert_allclose(received, 1 / 35, rtol=1e-5)


def test_scores_are_products_over_the_root_of_the_size():
    query, key = torch.tensor([[[1.0, 2, 3, 4]]]), torch.tensor([[[1.0, 0, 0, 0], [0, 0, 0, -1.0]]])
    assert attention.scores(query, key).tolist() == [[[0.5, -2.0]]]


def test_what_is_carried_is_signed_where_the_output_is_one_number():
    value, projection = _some(HEADS, 35, SIZE), _some(1, HEADS * SIZE, seed=1)
    told, signed = attention.carried(value, projection)
    assert signed
    for head in range(HEADS):
        part = projection[0, head * SIZE : (head + 1) * SIZE].double().numpy()
        for token in range(35):
            assert told[head, token] == pytest.approx(
                np.dot(value[head, token].double().numpy(), part), rel=1e-4, abs=1e-5
            )
    assert (told < 0).any()


def test_what_is_carried_is_a_length_where_the_output_is_several_numbers():
    value, projection = _some(HEADS, 35, SIZE), _some(5, HEADS * SIZE, seed=1)
    told, signed = attention.carried(value, projection)
    assert not signed
    for head in range(HEADS):
        part = projection[:, head * SIZE : (head + 1) * SIZE].double().numpy()
        for token in range(35):
            length = np.sqrt(((part @ value[head, token].double().numpy()) ** 2).sum())
            assert told[head, token] == pytest.approx(length, rel=1e-4)


def test_weights_times_what_is_carried_add_up_to_the_layers_output():
    torch.manual_seed(0)
    layer = Attention(features=2, heads=HEADS, head_size=SIZE, output_features=1)
    with torch.no_grad(), trace(layer) as seen:
        output = layer(_some(1, 35, 2))
    told, _ = attention.carried(seen["value"].at(batch=0), layer.output.weight.detach())
    weights = seen["weights"].at(batch=0).double().numpy()
    total = np.einsum("hqk,hk->q", weights, told) + layer.output.bias.item()
    np.testing.assert_allclose(total, output[0, :, 0].numpy(), rtol=1e-4, atol=1e-5)
