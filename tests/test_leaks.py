"""The words of a mechanism stand in its own files alone: no other file knows that there are glimpses, or a relevance.

tests/test_architecture.py holds this for the names of mechanisms; here it is for what only one of them has. Looked at
are the names of files, and their code without comments and docstrings. Tables, which name everything, are left out.
"""

import re
from collections.abc import Iterable

import pytest

from attnviz.ui.mechanisms import MECHANISMS
from tests import test_architecture as architecture

WORDS = {
    "pixel_attention": r"pixel attention|added_by_pixel|one[_-]token|single_token|head_switch|moving_maps",
    "element_wise": r"element[ -]wise|relevance|\b[xy]_weights|handed_on|stage_grid",
    "recurrent_attention": r"glimpse|retina|recurrent(?!_param)|belief|location_mean|glances|[\"']moves[\"']",
    "cnn_attention": r"block_?attention|: [\"']blocks[\"']|-blocks\b|feature_weights",
    "channel_attention": r"squeeze_?excite|\bcbam\b|\bbam\b|many_gates|gates_view|gated_blocks",
    "spatial_transformer": r"\btheta\b|sampling_?grid|spatial_?transform|jaderberg",
    "sequences": r"\badditive|bahdanau|encoder_?decoder|alignment_view|[\"']one_vector",
    "vision_transformer": r"vision_?transformer|layer_?board|dosovitskiy|answers_by_layer",
    # of several mechanisms: pixels and blocks attend in the same layer
    "dot-product attention": r"mean_?row|least_?uniform|layers\.attention",
}

OWN = {  # beside the folder of a mechanism, its pages, its measures and its components
    "pixel_attention": ("attnviz/models/pixel_attention.py", "attnviz/recipes/schwarz.py"),
    "element_wise": ("attnviz/layers/element_wise", "attnviz/models/element_wise.py", "attnviz/recipes/bacochina"),
    "recurrent_attention": (
        "attnviz/layers/glimpse",
        "attnviz/models/recurrent",
        "attnviz/training/objectives/reinforcement.py",
        "attnviz/recipes/wu",
        "attnviz/views/glimpses.py",
        "attnviz/views/looking.py",
        "attnviz/figures/glimpses.py",
        "attnviz/ui/frontend/figure/glimpses.js",
    ),
    "cnn_attention": ("attnviz/layers/block_attention", "attnviz/models/cnn_attention", "attnviz/recipes/wu"),
    "channel_attention": (
        "attnviz/layers/squeeze_excite",
        "attnviz/layers/cbam",
        "attnviz/layers/bam",
        "attnviz/layers/residual",
        "attnviz/models/channel_attention",
        "attnviz/recipes/hu.py",
    ),  # fmt: skip
    "spatial_transformer": (
        "attnviz/layers/spatial_transformer",
        "attnviz/models/spatial_transformer",
        "attnviz/recipes/jaderberg.py",
    ),
    "sequences": (
        "attnviz/layers/additive_attention",
        "attnviz/models/encoder_decoder",
        "attnviz/recipes/bahdanau",
        "attnviz/recipes/vaswani",
    ),
    "vision_transformer": (
        "attnviz/layers/vision_transformer",
        "attnviz/models/vision_transformer",
        "attnviz/recipes/dosovitskiy.py",
    ),
    "dot-product attention": (
        "attnviz/layers/",
        "attnviz/models/",
        "attnviz/measures/",
        "attnviz/ui/dot_product/",
        "attnviz/views/",
    ),
}
PLACES = ("attnviz/ui/components/", "attnviz/ui/frontend/")  # of components
SHARING = {"dot-product attention": ("pixel_attention", "cnn_attention", "vision_transformer")}

TABLES = (
    "attnviz/models/__init__.py",
    "attnviz/recipes/__init__.py",
    "attnviz/figures/kinds.py",
    "attnviz/roles.py",
    "attnviz/ui/derived_values.py",
    "attnviz/ui/mechanisms/__init__.py",
)


def own(group: str) -> tuple[str, ...]:
    """Return how the names of the files begin that may contain the words of a group."""
    rows = [MECHANISMS[name] for name in SHARING.get(group, (group,))]
    components = [f"{place}{name}" for row in rows for name in row.components for place in PLACES]
    return (*OWN[group], *components, *(place for row in rows for place in architecture.own(row)))


def leaks(lines: Iterable[tuple[str, str]], group: str) -> list[str]:
    """Return the places in which words of a group stand, of all that are not its own.

    Args:
        lines: place, which is FILE:NUMBER, and the code there.
        group: of `WORDS`.
    """
    words = re.compile(WORDS[group], re.IGNORECASE)
    found = []
    for place, line in lines:
        name = place.partition(":")[0]
        if not name.startswith((*own(group), *TABLES)) and (words.search(line) or words.search(name)):
            found.append(place)
    return found


def test_the_words_of_a_mechanism_stand_in_its_own_files() -> None:
    lines = list(architecture.lines(makers=True))
    assert {group: leaks(lines, group) for group in WORDS} == {group: [] for group in WORDS}


@pytest.mark.parametrize(
    ("group", "leak", "harmless"),
    [
        ("pixel_attention", 'ONE = "one-token"', "one token"),
        ("pixel_attention", "MovingMaps.added_by_pixel", "by pixel"),
        ("element_wise", "normed_relevance", "elements"),
        ("element_wise", 'x_weights["x"]', "max_weights"),
        ("recurrent_attention", "const GlimpsePlayer = 1;", "look"),
        ("recurrent_attention", 'kind == "moves"', "if it moves on"),
        ("cnn_attention", '"attention": "blocks"', "blocks.append(block)"),
        ("cnn_attention", ".st-key-blocks {", "display: block"),
        ("spatial_transformer", "the_theta = seen.theta", "another"),
        ("sequences", "AdditiveAttention(units)", "the sum is added"),
        ("vision_transformer", "const LayerBoard = 1;", "layer"),
        ("dot-product attention", "from attnviz.layers.attention import Attention", "attention"),
    ],
)
def test_words_are_found(group: str, leak: str, harmless: str) -> None:
    lines = [("attnviz/shared.py:1", leak), ("attnviz/shared.py:2", harmless)]
    assert leaks(lines, group) == ["attnviz/shared.py:1"]
    assert leaks([(f"{own(group)[-1]}:1", leak)], group) == []
    assert leaks([(f"{TABLES[0]}:1", leak)], group) == []


def test_the_name_of_a_file_counts_too() -> None:
    assert leaks([("attnviz/ui/live/mean_row.py:1", "")], "dot-product attention") == ["attnviz/ui/live/mean_row.py:1"]


def test_every_mechanism_has_its_words() -> None:
    assert set(MECHANISMS) <= set(WORDS)
