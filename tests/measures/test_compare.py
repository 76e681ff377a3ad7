"""Two maps of attention held against each other, attnviz/measures/compare.py, against small cases and loops."""

import numpy as np
import pytest

from attnviz.errors import BadInput
from attnviz.measures.compare import coarser, compared, half, multiples

RANDOM = np.random.default_rng(2)
QUERY, KEY = RANDOM.normal(size=(2, 3, 6, 4))  # (head, token, size) twice


def weights() -> np.ndarray:
    """(head, query, key), by the definition."""
    found = np.zeros((3, 6, 6))
    for head in range(3):
        for query in range(6):
            terms = [np.exp(sum(QUERY[head, query] * KEY[head, key]) / 2) for key in range(6)]
            found[head, query] = np.array(terms) / sum(terms)
    return found


NORMALISER = np.log(np.exp(np.einsum("hqf,hkf->hqk", QUERY, KEY) / 2).sum(2))


@pytest.mark.parametrize("head", [0, 2, None])
def test_multiples_are_weights_times_tokens(head: int | None) -> None:
    wanted = weights().mean(0) if head is None else weights()[head]
    arrays = QUERY, KEY, NORMALISER
    for token in (0, 5):
        found = multiples(*arrays, direction="from", token=token, head=head)
        np.testing.assert_allclose(found, 6 * wanted[token])
        assert found.mean() == pytest.approx(1)
        np.testing.assert_allclose(multiples(*arrays, direction="to", token=token, head=head), 6 * wanted[:, token])
    received = multiples(*arrays, direction="received", token=None, head=head)
    np.testing.assert_allclose(received, 6 * wanted.mean(0))


def test_one_pixel_must_be_said_where_one_is_asked() -> None:
    with pytest.raises(BadInput, match="say which"):
        multiples(QUERY, KEY, NORMALISER, direction="to", token=None, head=0)


def test_the_finer_map_becomes_means_over_the_boxes_of_the_coarser() -> None:
    fine, coarse = np.arange(24.0).reshape(4, 6), np.ones((2, 3))
    for maps, at in (((fine, coarse), 0), ((coarse, fine), 1)):
        found = coarser(maps)
        np.testing.assert_array_equal(found[at], [[3.5, 5.5, 7.5], [15.5, 17.5, 19.5]])
        np.testing.assert_array_equal(found[1 - at], coarse)
    np.testing.assert_array_equal(coarser((fine, 2 * fine))[1], 2 * fine)


def test_grids_without_common_boxes_are_refused() -> None:
    with pytest.raises(BadInput, match="no common boxes"):
        coarser((np.ones((4, 6)), np.ones((3, 2))))
    with pytest.raises(BadInput, match="maps of the same grid"):
        compared(np.ones((4, 6)), np.ones((2, 3)))


def test_a_comparison_by_hand() -> None:
    found = compared(np.array([[2.0, 1, 0.5, 0.5]]), np.array([[1.0, 1, 2, 0]]))
    np.testing.assert_allclose(found.doublings, [[-1, 0, 2, -3]])  # nothing counts as 1/16: 3 doublings below a half
    assert found.distance == pytest.approx((1 + 0 + 1.5 + 0.5) / 8)
    assert found.correlation == pytest.approx(np.corrcoef([2, 1, 0.5, 0.5], [1, 1, 2, 0])[0, 1])
    assert compared(np.array([[99.0, 1e-9]]), np.array([[0.0, 99]])).doublings.tolist() == [[-8, 8]]


def test_the_distance_is_that_of_total_variation() -> None:
    one, other = RANDOM.dirichlet(np.ones(12), 2)
    found = compared(12 * one.reshape(3, 4), 12 * other.reshape(3, 4))
    assert found.distance == pytest.approx(max(abs((one - other)[np.array(list(f"{subset:012b}")) == "1"].sum())
                                               for subset in range(2**12)))  # fmt: skip
    apart = compared(np.array([[2.0, 2, 0, 0]]), np.array([[0.0, 0, 2, 2]]))
    assert apart.distance == pytest.approx(1)


def test_a_map_that_is_even_has_no_correlation() -> None:
    even, other = np.ones((1, 3)), np.array([[0.0, 1, 2]])
    assert compared(even, other).correlation is None
    assert compared(other, even).correlation is None
    assert compared(other, other).correlation == pytest.approx(1)
    assert compared(other, other).distance == 0


def test_half_lies_on_the_fewest_places() -> None:
    assert half(np.array([[1.0, 6, 1, 2]])) == 1
    assert half(np.ones((2, 5))) == 5
    assert half(np.array([[4.0, 3, 3]])) == 2
