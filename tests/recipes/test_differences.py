"""What else differs between a model and its control is found by comparing their recipes."""

import pytest

from attnviz import cards
from attnviz.recipes import RECIPES
from attnviz.recipes.differences import BUDGET, differences
from attnviz.recipes.recipe import Augmentation, changed

PLAIN = RECIPES["pixel_line.1v8"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"epochs": 50}, {"epochs": "epochs 200 against 50"}),
        ({"patience": None}, {"patience": "epochs without gain 5 against none"}),
        ({"patience": 400}, {"patience": "epochs without gain 5 against none"}),
        (
            {"learning_rate": 0.01, "batch": 2048},
            {"batch": "batch 32 against 2,048", "learning_rate": "learning rate 0.0001 against 0.01"},
        ),
        (
            {"augmentation": Augmentation(rotation=10, stretch=(0.5, 1.0))},
            {"augmentation": "variants none against rotated by up to 10 degrees and stretched"},
        ),
        (
            {"augmentation": Augmentation(mirror=True, crop=4), "augment": "instead"},
            {"augmentation": "variants none against mirrored and cropped"},
        ),
        (
            {"augmentation": Augmentation(shift=0.1, sampling=("nearest",))},
            {"augmentation": "variants none against shifted and nearest sampling"},
        ),
        ({"watch": "accuracy"}, {"watch": "figure watched loss against accuracy"}),
        ({"betas": (0.9, 0.98), "eps": 1e-6}, {"betas": "betas", "eps": "epsilon 1e-08 against 1e-06"}),
        ({"rise": 0.2}, {}),
        ({"config": {"mean": 0.5}}, {"config": "in the network: mean, std"}),
        ({"model": "ink", "config": {}}, {"model": "another kind of network, pixel_line against ink"}),
        ({"groups": [{"parameters": ["*"]}]}, {"groups": "groups of parameters"}),
        ({"title": "Another", "why": "Another.", "control": "ink.1v8", "weights": None, "tests": ()}, {}),
    ],
    ids=str,
)  # fmt: skip
def test_each_difference_is_said_in_words(change: dict[str, object], said: dict[str, str]) -> None:
    assert differences(PLAIN, changed(PLAIN, **change)) == said


def test_every_field_that_decides_a_training_is_compared_or_left_out_on_purpose() -> None:
    from attnviz.recipes import differences as module

    left_out = {
        *(
            "model",
            "name",
            "why",
            "title",
            "cost",
            "control",
            "chosen",
            "config",
        ),  # the network, and what is said of it
        *("betas", "eps", "nesterov", "rise", "plateau", "accumulate"),  # follow from optimiser, schedule or memory
        *("watch", "weights", "probes", "tests", "ablations"),  # what is measured and stored
    }
    assert left_out | set(module._TRAINING) == set(type(PLAIN).model_fields)
    assert set(BUDGET) <= set(module._TRAINING)


@pytest.mark.parametrize("key", [key for key, recipe in RECIPES.items() if recipe.control])
def test_a_control_is_a_recipe_of_the_same_classes_and_no_circle(key: str) -> None:
    recipe, seen = RECIPES[key], {key}
    while recipe.control is not None:
        assert recipe.control in RECIPES and recipe.control not in seen
        seen.add(recipe.control)
        assert RECIPES[recipe.control].classes == recipe.classes
        recipe = RECIPES[recipe.control]


SAME = (
    "pixel_attention.digits",
    "element_wise.fashion-repaired",
    "element_wise.cifar-repaired",
    "element_wise.digits",
    "recurrent_attention.cluttered",
    "recurrent_attention.cluttered-50-epochs",
    "recurrent_attention.fashion",
    "cnn_attention.cluttered-blocks",
    "cnn_attention.fashion-blocks",
)  # the models that the top of the results compares, and those that were made to be compared


@pytest.mark.parametrize("key", SAME)
def test_a_control_has_the_same_data_variants_and_budget(key: str) -> None:
    control = RECIPES[key].control
    assert control is not None
    assert not differences(RECIPES[key], RECIPES[control]).keys() & {*BUDGET, "patience", "batch"}


@pytest.mark.parametrize("name", ["ring", "centre", "oracle"])
def test_fixed_locations_are_compared_with_locations_learnt_for_as_long(name: str) -> None:
    learnt, fixed = (RECIPES[f"recurrent_attention.cluttered-{one}"] for one in ("50-epochs", name))
    apart = differences(learnt, fixed).keys()
    assert apart <= ({"config"} if name != "oracle" else {"config", "data"})


@pytest.mark.parametrize("name", cards.names())
def test_a_committed_card_names_the_control_of_its_recipe(name: str) -> None:
    assert cards.read(name).recipe.control == RECIPES[name].control


def test_what_a_schedule_goes_by_is_compared_where_both_have_that_schedule() -> None:
    rising = changed(PLAIN, schedule="cosine", rise=0.05)
    assert differences(rising, changed(rising, rise=0.2)) == {"rise": "share of the steps that rise 0.05 against 0.2"}
    for one, other in ((PLAIN, changed(rising, rise=0.2)), (changed(rising, rise=0.2), PLAIN)):
        assert list(differences(one, other)) == ["schedule"]


def test_what_nothing_goes_by_is_not_compared() -> None:
    last = changed(PLAIN, keep="last", patience=None)
    assert differences(last, changed(last, watch="accuracy")) == {}
    for by in ({"keep": "best"}, {"patience": 5}, {"schedule": "plateau"}):
        watching = changed(last, **by)
        assert list(differences(watching, changed(watching, watch="accuracy"))) == ["watch"]
