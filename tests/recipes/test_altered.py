"""A recipe with a few settings changed, attnviz/recipes/altered.py."""

import tracemalloc
from inspect import Parameter, signature

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from attnviz import models
from attnviz.errors import AttnvizError, BadInput, UnknownName
from attnviz.layers.glimpse import Glimpses
from attnviz.recipes import RECIPES
from attnviz.recipes.altered import altered, own, seeds, settings, suits, varied
from attnviz.training.seeds import build

SIMPLE = RECIPES["pixel_attention.1v8"]


def test_settings_are_read_and_change_what_they_name():
    made = altered(SIMPLE, settings(["epochs=3", "learning_rate=0.01", "heads=2", "data=strokes"]))
    assert (made.epochs, made.learning_rate, made.config["heads"], made.data) == (3, 0.01, 2, "strokes")
    assert made.patience == 3
    same = {"epochs", "patience", "learning_rate", "config", "data"}
    assert made.model_dump(exclude=same) == SIMPLE.model_dump(exclude=same)
    assert altered(SIMPLE, {}) is SIMPLE
    assert altered(SIMPLE, {"epochs": str(SIMPLE.epochs)}) is SIMPLE


@pytest.mark.parametrize(
    "words",
    [["epochs"], ["epochs=0"], ["epochs=-1"], ["epochs=1e9"], ["epochs=²"], ["learning_rate=nan"], ["heads=two"],
     ["learning_rate=inf"], ["learning_rate=0"], ["data=../strokes"], ["data=cifar10"], ["epochs=1", "epochs=2"],
     ["batch=0"], ["batch=1.5"], ["skip=maybe"], ["dropout=1"], ["positions=../x"], ["schedule=never"],
     ["weight_decay=-1"], ["glimpses=3"], ["model=x"], ["title=x"]],
    ids=str,
)  # fmt: skip
def test_nonsense_is_one_sentence(words):
    with pytest.raises((BadInput, UnknownName)):
        altered(SIMPLE, settings(words))


def test_only_data_of_the_same_kind_suit_a_recipe():
    for one in RECIPES.values():
        assert suits(one, one.data)
    assert suits(SIMPLE, "strokes")
    assert not suits(SIMPLE, "fashion_mnist")
    with pytest.raises(AttnvizError, match="has no setting heads"):
        altered(RECIPES["pixel_line.1v8"], {"heads": "2"})


def test_every_recipe_varies_within_the_bounds_and_its_own_values_change_nothing():
    for recipe in RECIPES.values():
        words = {name: one.word(own(recipe, one)) for name, one in varied(recipe).items()}
        assert altered(recipe, words) is recipe, recipe.key
        assert {"epochs", "learning_rate", "batch"} <= words.keys()


def test_a_setting_of_a_model_has_the_default_of_its_constructor():
    for name, spec in models.MODELS.items():
        recipe = next((one for one in RECIPES.values() if one.model == name), None)
        if recipe is None or not spec.settings:
            continue
        built = signature(type(build(recipe)).__init__).parameters
        known = {**signature(Glimpses.__init__).parameters, **built}
        for one in spec.settings:
            default = known[one.name].default
            assert default is Parameter.empty or one.default in (default, None), (name, one.name)


def test_changed_settings_of_a_model_can_be_built_and_drop_probes_of_parts_that_may_be_gone():
    made = altered(RECIPES["element_wise.fashion-b"], {"layers": "1", "heads": "2", "skip": "no"})
    assert made.config == {"heads": 2, "layers": 1, "skip": False}
    assert [one.column for one in made.probes] == ["loss_sum"]
    build(made)
    made = altered(SIMPLE, {"positions": "sinusoidal_2d", "dropout": "0.1", "skip": "yes"})
    assert (made.config["position_features"], made.config["dropout"], made.config["skip"]) == (16, 0.1, True)
    build(made)
    ten = RECIPES["pixel_attention.digits"]
    build(altered(ten, {"positions": "none"}))


def test_what_only_another_optimiser_or_a_larger_batch_has_is_taken_out():
    sgd = RECIPES["recurrent_attention.cluttered-6-sgd-1e-2"]
    assert altered(sgd, {"optimiser": "adam"}).momentum == 0
    control = RECIPES["vgg_control.fashion"]
    assert altered(control, {"batch": "8"}).accumulate == 8
    with pytest.raises(BadInput, match="must be one of constant, cosine, trapezoid, one_cycle"):
        altered(control, {"schedule": "plateau"})
    with pytest.raises(BadInput, match="has no setting patience"):
        altered(control, {"patience": "3"})


@given(first=st.integers(0, 999_999), more=st.integers(0, 50))
def test_seeds_are_a_number_or_a_range_with_both_ends(first, more):
    assert seeds(f"{first}") == [first]
    last = min(first + more, 999_999)
    assert seeds(f"{first}-{last}") == list(range(first, last + 1))
    if more:
        with pytest.raises(BadInput, match="Seeds must be distinct"):
            seeds(f"{last + more}-{first}")
    if last > first:
        assert seeds(f"{last},{first}-{last - 1}") == [last, *range(first, last)]


@pytest.mark.parametrize("word", ["0-999999", ",".join(["0-999999"] * 50), "0-499,500-1000"])
def test_seeds_are_counted_before_they_are_listed(word):
    tracemalloc.start()
    try:
        with pytest.raises(BadInput, match="At most 1,000 seeds can be named"):
            seeds(word)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    assert seeds("0-499,500-999") == list(range(1000))


@given(st.text(max_size=12) | st.from_regex(r"[0-9\-, .e]{0,24}", fullmatch=True))
@example("")
@example("-")
@example("3-")
@example("1,1")
@example("1,0-2")
@example("1,")
@example("-3")
@example("1-2-3")
@example("٣")
@example("²")
@example("1_0")
@example("0\n")
@example("9" * 5000)
@example("0-99999999999")
def test_any_other_word_for_seeds_is_refused_and_nothing_else_happens(word):
    try:
        chosen = seeds(word)
    except BadInput as error:
        assert repr(word) in str(error)
    else:
        expected: list[int] = []
        for part in word.split(","):
            ends = [int(end) for end in part.split("-")]
            assert len(ends) <= 2
            expected += range(ends[0], ends[-1] + 1)
        assert chosen == expected
        assert len(set(chosen)) == len(chosen)
        assert set(word) <= set("0123456789-,")
