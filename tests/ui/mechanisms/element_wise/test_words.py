"""What the page says, with numbers."""

import re
from dataclasses import replace

import numpy as np
import pytest

from attnviz import cards, checkpoints, data
from attnviz.card import Figure
from attnviz.subjects import Picture, Subject, net
from attnviz.ui.mechanisms.element_wise import stages, words
from attnviz.ui.mechanisms.element_wise.stages import Measured, layers_of, left_of_the_start, mean_relevance
from attnviz.ui.mechanisms.element_wise.words import about, does_not_show, equations, of_values
from attnviz.ui.shared import cache
from tests.accuracies import accuracy
from tests.browser.apps.element_wise_nets import make_blocks, make_grey

MEASURED = Measured(variance=2.6e-10, trained=2.5e-10, eps=1e-5, left=0.9, gain=0.0093, convolved=0.0013, cut=0.005)


def means(*arguments: object) -> str:
    """Return what the page says, with its terms as plain words."""
    return re.sub(r"\[([^\]]+)\]\(#term-[a-z-]+\)", r"\1", words.means(*arguments))


def test_the_norm_is_held_against_the_variance_of_the_relevance() -> None:
    said = means(make_grey(), [MEASURED])
    assert "divides by the root of 38,000 times the variance" in said
    assert "8 heads, has 0.9 % of the strength" in said
    assert "1/28 × 1/28 = 0.001276" in said


@pytest.mark.parametrize(
    ("variance", "parts"),
    [
        (1e-6, ("root of 10 times the variance", "so it hardly normalises")),
        (5e-6, ("root of 2.0 times the variance", "so it normalises only in part")),
        (1e-4, ("so it does normalise",)),
        (0.0, ("root of far more than the variance", "so it hardly normalises")),
    ],
)
def test_whether_the_norm_normalises_depends_on_the_variance(variance: float, parts: tuple[str, ...]) -> None:
    said = means(make_grey(), [replace(MEASURED, variance=variance, trained=1.5e-7)])
    assert all(part in said for part in parts)


def test_the_equations_have_only_what_the_layer_does() -> None:
    first, second = make_grey().layers
    normed = r"s = \operatorname{conv}\big(x \odot \text{norm}(r^x \odot r^y)\big)"
    assert normed in equations(first)
    assert r"\operatorname{ReLU}\big(s + x\big)" in equations(first)
    assert r"\operatorname{ReLU}\big(\text{norm}(s + x)\big)" in equations(second)
    assert r"\operatorname{ReLU}\big(s\big)" in equations(replace(first, skip=False))
    assert r"x \odot 49\,(r^x \odot r^y)\big)" in equations(make_blocks().layers[0])


def test_blocks_of_pixels_are_named() -> None:
    said = means(make_blocks(), [replace(MEASURED, eps=None, trained=None)])
    assert "each box of 4 × 4 pixels as one position with 16 channels: a row has 7 positions" in said
    assert "each block" not in means(make_grey(), [MEASURED])


def test_a_layer_without_skip_is_not_said_to_add_its_input() -> None:
    view = make_grey()
    without = replace(view, layers=tuple(replace(layer, skip=False) for layer in view.layers))
    said = means(without, [MEASURED])
    assert "adds the input" not in said
    assert said.endswith("There is no skip connection: ReLU sets 0.5 % of the values to 0.")


def test_a_control_whose_relevance_is_given_is_not_said_to_compute_it() -> None:
    view = make_blocks()
    fixed = tuple(replace(layer, fixed=np.ones(layer.x_weights.shape)) for layer in view.layers)
    said = means(replace(view, layers=fixed), [replace(MEASURED, eps=None, trained=None)])
    assert said.startswith("In this control the **relevance** is not learnt: every pixel is multiplied by a map *m*")
    assert "it is 1 everywhere" in said
    assert r"s = \operatorname{conv}\big(x \odot m\big)" in said
    assert "softmax" not in said
    assert "multiplies its relevance" not in said


def test_without_a_norm_the_factor_is_named() -> None:
    said = means(make_blocks(), [replace(MEASURED, eps=None, trained=None)])
    assert "multiplies its relevance by 49" in said
    assert "3 heads of 16 channels" in said
    assert "eps" not in said


def test_numbers_have_two_digits_that_count() -> None:
    assert [about(number) for number in (38_461.5, 2.63, 1e12)] == ["38,000", "2.6", "1.0\u00a0×\u00a010¹²"]


def test_what_relu_cuts_is_said_as_a_reader_needs_it() -> None:
    assert [of_values(share) for share in (0.0, 0.0002, 0.004, 0.123)] == [
        "nothing", "fewer than 0.1 % of the values", "0.4 % of the values", "12 % of the values",
    ]  # fmt: skip
    assert means(make_grey(), [MEASURED]).endswith("and ReLU sets 0.5 % of the values to 0.")
    assert means(make_grey(), [replace(MEASURED, cut=0.0)]).endswith("and ReLU sets nothing to 0 here.")


def test_its_terms_explain_themselves_once() -> None:
    found = re.findall(r"#term-([a-z-]+)", words.means(make_grey(), [MEASURED]))
    wanted = ["softmax", "relevance-map", "even-share", "batch-normalisation", "convolution", "attention-head"]
    assert found == [*wanted, "skip-connection", "relu"]


def test_what_is_not_shown_names_the_experiment() -> None:
    assert "Does the layer need the relevance?" in does_not_show(make_grey())


def test_zero_stays_zero_only_where_intensities_are_not_standardised() -> None:
    assert "stays 0" in does_not_show(make_grey())
    assert "stays 0" not in does_not_show(replace(make_grey(), input=make_grey().input - 0.81))


NORMED = [
    name for name, card in cards.usable(cards.names()).items()
    if card.recipe.model == "element_wise" and card.config.get("relevance_norm", "batch") == "batch"
]  # fmt: skip


@pytest.mark.parametrize("name", NORMED)
def test_how_much_of_the_stored_variance_is_left_of_its_start_is_worked_out_of_the_weights(name: str) -> None:
    model, card = checkpoints.load(name)
    steps = card.recipe.epochs * -(-data.DATASETS[card.recipe.data].counts["train"] // card.recipe.batch)
    for layer in layers_of(model).values():
        norm = layer.norm
        assert norm is not None and norm.running_var is not None
        renewed = card.recipe.keep == "renewed"
        expected = 0.0 if renewed else 0.9**steps / float(norm.running_var.mean())
        assert left_of_the_start(norm, renewed) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("fashion-b", "the initial value, 1, still makes up 92.0 % to 94.9 % of the stored variance."),
        ("fashion-a", "the initial value, 1, hardly contributes to the stored variance any more."),
        ("cifar", "the initial value, 1, hardly contributes to the stored variance any more."),
        ("fashion-no-skip", "the initial value, 1, still makes up < 0.01 % to 0.9 % of the stored variance."),
    ],
)
def test_what_is_said_of_the_stored_variance_holds_for_the_model_that_is_shown(name: str, said: str) -> None:
    model, card = checkpoints.load(f"element_wise.{name}")
    norms = [layer.norm for layer in layers_of(model).values()]
    assert words.left([left_of_the_start(norm, card.recipe.keep == "renewed") for norm in norms if norm]) == said


@pytest.mark.parametrize(("name", "neutral"), [("fashion-repaired", True), ("fashion-b", False), ("cifar", False)])
def test_a_relevance_of_1_is_called_neutral_only_where_it_is_usual(name: str, neutral: bool) -> None:
    means = mean_relevance(net(f"element_wise.{name}").load())
    assert words.one_is([*means.values()]).startswith("*1 everywhere* is an even share here") == neutral
    if not neutral:
        assert max(abs(mean).max() for mean in means.values()) < 1


@pytest.mark.parametrize(
    ("divided", "claim"),
    [
        ([38_000.0, 12.0], "**Hardly, on this picture**: what the norm divides by is 38,000 and 12 times"),
        ([1.0, 1.2], "**Yes, on this picture**"),
        ([1.0, 50.0, 3.0], "**In part, on this picture**: fully in 1 of 3 layers, hardly in 1: "),
    ],
)
def test_the_finding_on_the_norm_counts_layers(divided: list[float], claim: str) -> None:
    assert words.finding_of_norm(divided).startswith(claim)


def test_the_layers_are_no_thousands_of_one_another() -> None:
    assert "divides by is 820 and 500 times the variance" in words.finding_of_norm([820.0, 500.0])
    assert "divides by is 820, 500 and 3.0 times the variance" in words.finding_of_norm([820.0, 500.0, 3.0])


def around(mean: float) -> Figure:
    return accuracy(mean, mean - 0.005, mean + 0.005)


@pytest.mark.parametrize(
    ("without", "claim"),
    [
        (around(0.80), "**The relevance of the picture matters**: with the relevance of each picture, 90.00 %"),
        (around(0.95), "**The relevance of the picture does harm**"),
        (accuracy(0.90, 0.85, 0.95), "**Not decided**"),
        (accuracy(0.80), "**Not decided**"),
        (None, "**Not known for this model**"),
    ],
)
def test_the_finding_on_the_relevance_follows_from_the_accuracies(without: Figure | None, claim: str) -> None:
    assert words.finding_of_copy(around(0.9), without, 10).startswith(claim)


def test_a_mean_map_does_as_well_only_where_the_whole_interval_is_small() -> None:
    own, without = accuracy(0.9, 0.9001), accuracy(0.9, 0.9)
    said = words.finding_of_copy(own, without, 10)
    assert said.startswith("**One mean map does as well**") and ", within 0.5 points either way." in said


def test_the_finding_on_networks_that_die_counts_them() -> None:
    assert words.finding_of_dying({2: 3, 4: 9}, 30).endswith(
        "this sometimes happens, to 3 of 30 seeds with 2 layers and 9 of 30 seeds with 4 layers."
    )
    assert "this always happens" in words.finding_of_dying({2: 30}, 30)
    assert words.finding_of_dying({2: 0}, 30).startswith("**Not for this reason, as far as 30 seeds can show**")


def test_only_models_that_differ_in_one_size_are_compared() -> None:
    one, eight = words.Size(1, 2, "", around(0.85)), words.Size(8, 2, "", around(0.9))
    deep, other = words.Size(8, 4, "", accuracy(0.9, 0.93)), words.Size(16, 2, "norm", around(0.99))
    said = words.finding_of_sizes([one, eight, deep, other], 10).split("\n\n")
    assert (
        said[0].startswith("**More heads make it better**: with 8 heads, 90.00 %") and "with 1 head and all" in said[0]
    )
    assert said[1].startswith("**Not decided**: with 4 layers")
    assert "**Not known for layers**" in words.finding_of_sizes([one, eight], 10)
    worse = words.finding_of_sizes([words.Size(1, 2, "", around(0.95)), eight], 10)
    assert worse.startswith("**More heads make it worse**")


@pytest.mark.parametrize(
    ("name", "said"), [("fashion-b", "is not neutral"), ("fashion-repaired", "is an even share here")]
)
def test_beside_the_stages_stands_what_1_everywhere_means_for_the_model(name: str, said: str) -> None:
    subject = Subject(net(f"element_wise.{name}"), Picture("fashion_mnist", 0))
    view = cache.of_subject(stages.view, subject)
    assert f"The switch *Relevance*: *1 everywhere* {said}" in does_not_show(view)
    for layer in view.layers:
        size = np.sqrt(np.square(layer.mean).mean())
        assert bool(0.5 <= size <= 2) == (name == "fashion-repaired")
