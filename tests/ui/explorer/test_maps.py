"""Maps of places in the explorer, attnviz/ui/explorer: against the measures, computed apart."""

import numpy as np
import pytest
import torch

from attnviz import subjects
from attnviz.answers import as_batch
from attnviz.errors import BadInput
from attnviz.measures.agreement import ROUNDING, kendall, random_map, ranks
from attnviz.measures.place_maps import place_maps
from attnviz.subjects import Picture, Subject
from attnviz.ui.explorer import maps
from attnviz.ui.explorer.views import RANDOM, RANKED, SHIFTED
from attnviz.ui.shared import cache
from attnviz.views.payload import unpack

EIGHT = Picture("strokes", 23)
WEIGHTS = "attention.weights"


def subject(name: str) -> Subject:
    return Subject(subjects.net(name), EIGHT)


@pytest.fixture(scope="module")
def attending() -> Subject:
    return subject("pixel_attention.digits")


def received(one: Subject) -> np.ndarray:
    """Return the mean weight that each square of 4 x 4 pixels receives, softmax and all spelled out."""
    model, net = one.net.load(double=True)
    layer = model.attention
    image = as_batch(EIGHT.taken_by(net), double=True)
    heard: list[torch.Tensor] = []
    hook = layer.query.register_forward_hook(lambda module, given, out: heard.append(given[0]))
    with torch.no_grad():
        model(image)
        hook.remove()
        tokens = heard[0][0]
        parts = [part(tokens).unflatten(1, (layer.heads, -1)).movedim(0, 1) for part in (layer.query, layer.key)]
        weights = (parts[0] @ parts[1].mT / parts[0].shape[-1] ** 0.5).softmax(-1)
    return weights.mean((0, 1)).reshape(7, 2, 7, 2).mean((1, 3)).numpy()


def test_its_own_map_is_the_mean_weight_that_a_square_receives(attending: Subject) -> None:
    header, arrays = unpack(RANKED.of(attending, tap=WEIGHTS))
    assert arrays["maps"].shape == (8, 7, 7)
    assert header["labels"][0] == "weights, values"
    np.testing.assert_allclose(arrays["maps"][0], received(attending), rtol=1e-9)
    np.testing.assert_array_equal(arrays["maps"][4], ranks(arrays["maps"][0], equal=ROUNDING))
    assert header["boxes"] == [0, 0, 4, 4, 4, 4]
    assert header["origin"]["address"] == WEIGHTS
    assert header["note"].endswith("the share of the other squares that count for less, a tied one counted half")


def test_a_random_map_and_the_accepted_methods_always_stand_beside_it(attending: Subject) -> None:
    for tap in (WEIGHTS, ""):
        header, arrays = unpack(RANKED.of(attending, tap=tap))
        assert header["table"]["heads"][-3:] == ["Jacobian", "erasure", "random"]
        np.testing.assert_array_equal(arrays["maps"][header["table"]["columns"] - 1], random_map((7, 7), seed=0))
    found = maps.ranked_on(cache.of_subject(maps.of_example, attending, WEIGHTS), seed=0)
    assert [*found.taus] == [("attention", "jacobian"), ("attention", "erasure"), ("jacobian", "erasure")]
    assert found.chance.shape == (1, maps.DRAWS)


def test_the_rank_correlations_are_those_of_the_values(attending: Subject) -> None:
    _, arrays = unpack(RANKED.of(attending, tap=WEIGHTS))
    own, jacobian, erasure, _ = arrays["maps"][:4]
    found = maps.ranked_on(cache.of_subject(maps.of_example, attending, WEIGHTS), seed=0).taus
    for pair, one, other in (
        (("attention", "jacobian"), own, jacobian),
        (("attention", "erasure"), own, erasure),
        (("jacobian", "erasure"), jacobian, erasure),
    ):
        assert found[pair][0] == pytest.approx(kendall(one.ravel(), other.ravel(), equal=ROUNDING))


def test_many_pictures_in_parts_are_those_pictures_one_by_one(attending: Subject) -> None:
    loaded = attending.net.load()
    found = maps.together(
        [maps.ranked(loaded, "strokes", WEIGHTS, 0, 2), maps.ranked(loaded, "strokes", WEIGHTS, 2, 1)]
    )
    numbers = maps.fitting(attending.net, "strokes", 3)
    for place, number in enumerate(numbers.tolist()):
        one = maps.ranked_on(maps.of_example(loaded, Picture("strokes", number), WEIGHTS), number)
        assert all(found.taus[pair][place] == values[0] for pair, values in one.taus.items())
        np.testing.assert_array_equal(found.chance[place], one.chance[0])


def test_with_no_random_layer_the_maps_are_the_trained_ones_and_with_all_the_jacobian_is_another() -> None:
    one = subject("pixel_line.digits")
    _, arrays = unpack(RANDOM.of(one, layers=0))
    np.testing.assert_array_equal(arrays["maps"][:3], arrays["maps"][3:])
    _, arrays = unpack(RANDOM.of(one, layers=1))
    assert abs(kendall(arrays["maps"][0].ravel(), arrays["maps"][3].ravel())) < 0.5
    with pytest.raises(BadInput, match="has 1 layer that can be made random, not 2"):
        RANDOM.of(one, layers=2)


def test_random_layers_look_at_the_class_that_the_trained_network_answers() -> None:
    one = subject("pixel_line.digits")
    trained = cache.of_subject(maps.of_example, one, "")
    assert cache.of_subject(maps.with_random_layers, one, "", 1).answer == trained.answer


def test_kept_begins_with_the_first_layers_and_ends_with_all() -> None:
    loaded = subjects.net("channel_attention.digits").load()
    found = maps.kept(loaded, "strokes", "", 0, 1)
    assert found.layers[0] == 1
    assert found.layers[-1] == len(maps.layers_of(loaded)) == 26
    assert len(found.layers) == maps.STEPS
    assert set(found.taus) == {"jacobian", "product", "erasure"}
    assert all(values.shape == (1, maps.STEPS) for values in found.taus.values())
    number = int(maps.fitting(loaded.net, "strokes", 1)[0])
    trained = maps.of_example(loaded, Picture("strokes", number), "")
    for name, values in trained.maps.items():  # each map has random maps of its own to be compared with
        np.testing.assert_array_equal(found.chance[name][0], maps.chance_of(values, number), err_msg=name)
    assert found.by_chance.shape == (1, 3 * maps.DRAWS)


def test_a_constant_moves_the_picture_times_its_jacobian_alone(attending: Subject) -> None:
    plain = cache.of_subject(maps.of_example, attending, WEIGHTS)
    moved = cache.of_subject(maps.shifted, attending, WEIGHTS)
    assert moved.logit == pytest.approx(plain.logit, abs=1e-9)
    for name in ("attention", "jacobian", "erasure"):
        np.testing.assert_allclose(moved.maps[name], plain.maps[name], rtol=1e-6, atol=1e-9, err_msg=name)
    model, net = attending.net.load(double=True)
    image = as_batch(EIGHT.taken_by(net), double=True)[0]
    slope = torch.autograd.functional.jacobian(lambda one: model(one[None])[0, plain.answer], image)[0]
    expected = ((image[0] + 128 / 255) * slope).abs().reshape(7, 4, 7, 4).mean((1, 3))
    np.testing.assert_allclose(moved.maps["product"], expected, rtol=1e-9)
    header, _ = unpack(SHIFTED.of(attending, tap=WEIGHTS))
    assert header["table"]["rows"] == ["as it is", "+ 0.50"]


@pytest.mark.parametrize(
    ("name", "taps"),
    [
        ("channel_attention.digits-cbam", [f"blocks.{number}.attention.space_gate" for number in range(6)]),
        ("element_wise.digits", ["layers.0.relevance", "layers.1.relevance"]),
        ("cnn_attention.digits", [WEIGHTS]),
        ("channel_attention.digits", []),
        ("plain_conv.digits", []),
    ],
)
def test_which_taps_say_what_is_attended_to_place_by_place(name: str, taps: list[str]) -> None:
    assert maps.taps_of(subjects.net(name)) == taps


def test_what_cannot_be_compared_is_a_sentence() -> None:
    with pytest.raises(BadInput, match="not two accepted methods to compare a map with"):
        RANKED.of(subject("histogram_line.digits"))
    with pytest.raises(BadInput, match="is not a map of attention over the picture"):
        RANKED.of(subject("pixel_attention.digits"), tap="attention.query")


def test_places_of_a_real_network_are_found_in_single_precision_too(attending: Subject) -> None:
    model, net = attending.net.load()
    found = place_maps(model, as_batch(EIGHT.taken_by(net))[0], WEIGHTS)
    exact = cache.of_subject(maps.of_example, attending, WEIGHTS)
    for name, values in exact.maps.items():
        np.testing.assert_allclose(found.maps[name], values, atol=2e-4 * values.max(), err_msg=name)
