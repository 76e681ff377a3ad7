"""The experiments on the page, each a question."""

from collections.abc import Mapping
from itertools import product

import streamlit as st

from attnviz import cards, comparisons, formatting
from attnviz.card import Card
from attnviz.charts.bars import Row, bars
from attnviz.charts.dots import dots
from attnviz.comparisons import Comparison
from attnviz.measures.difference import Difference
from attnviz.recipes import RECIPES
from attnviz.subjects import Net, Subject
from attnviz.ui.components import stage_maps
from attnviz.ui.components.map_grid import map_grid
from attnviz.ui.mechanisms.channel_attention import words
from attnviz.ui.mechanisms.channel_attention.view import BLOCKS_VIEW, CLASS_GATES, in_url
from attnviz.ui.shared import cache, mechanism_page, pickers
from attnviz.ui.shared.experiments import Experiment, finding
from attnviz.ui.shared.reserved import container_key
from attnviz.ui.shared.results import ablated, costs, result_dots
from attnviz.ui.shared.wording import without_shared_start

MAPS = "gate_stages"


def maps(subject: Subject) -> None:
    """Draw the maps of every block before and after its gate; layer, channel and gates are those above."""
    from attnviz.ui.mechanisms.channel_attention import gates

    own = cache.of_subject(gates.view, subject)
    asked = in_url(subject, st.query_params.to_dict())
    st.markdown(words.STAGES[words.kind_of(own.layers)])
    st.caption(words.gates_of_maps(asked["gates"], asked["turned"], own.other))
    state = words.STAGE_FIELDS.read(st.query_params.to_dict())
    keep = mechanism_page.keep(words.STAGE_FIELDS, stage_maps.settled_view, MAPS)
    stage_maps.stage_maps(
        BLOCKS_VIEW.of(subject, **asked), key=MAPS, state=state, fields=words.STAGE_FIELDS, on_change=keep
    )


def constant(subject: Subject) -> None:
    """Draw the accuracies with gates that no longer depend on the picture, all at once and block by block."""
    none = "The card of this model has no test with other gates; only the answer above is known."
    ablated.show(subject.net.card, finding(), kind="gates", named=words.replaced, verdict=words.verdict, none=none)
    st.caption(words.ABLATED)


def pays(subject: Subject) -> None:
    """Compare the nets with every kind of gate with the plain one and the widened one, on the task of this net."""
    say = finding()
    keys = task_of(subject.net)
    if not keys:  # trained on other data than any recipe
        say(words.NOTHING_TO_COMPARE)
        return
    known = cards.readable(keys)
    main = next((key for key in keys if RECIPES[key].config["gate"] != "none"), keys[0])
    source = comparisons.main_test(RECIPES[main]).data
    found = result_dots.shortened(result_dots.of(keys, (), {}, source))
    if found:
        with st.container(key=container_key(len(found), "pays")):
            st.markdown(dots(found, axis=result_dots.ACCURACY), unsafe_allow_html=True)
    controls = [key for key in keys if RECIPES[key].config["gate"] == "none"]
    titles = dict(zip(keys, without_shared_start([RECIPES[key].title for key in keys]), strict=True))
    costs.table(titles, controls, key="pays_bars")
    compared = _beside(known, [key for key in keys if key not in controls], controls)
    differences = {pair: comparison.difference for pair, comparison in compared.items()}
    say(words.pays([(titles[one], titles[other], found) for (one, other), found in differences.items()]))
    st.caption(words.PAYS)
    if differences:
        with st.expander("The differences in numbers"):
            st.markdown(_table(differences, titles))


def task_of(net: Net) -> list[str]:
    """Return the names of the recipes on a net's data, those with gates first."""
    keys = [key for key, one in RECIPES.items() if one.model == net.architecture and one.data == net.data]
    return sorted(keys, key=lambda key: RECIPES[key].config["gate"] == "none")


def _beside(known: Mapping[str, Card], gated: list[str], controls: list[str]) -> dict[tuple[str, str], Comparison]:
    """Return the comparison of each net with gates with each net without, for the pairs that can be compared."""
    found = {}
    for one, other in product(gated, controls):
        if {one, other} <= set(known):
            comparison = comparisons.compared(known[one], known[other], comparisons.main_test(RECIPES[one]))
            if comparison is not None:
                found[one, other] = comparison
    return found


def _table(differences: Mapping[tuple[str, str], Difference], titles: Mapping[str, str]) -> str:
    gated, controls = (dict.fromkeys(pair[side] for pair in differences) for side in (0, 1))
    heads = ["with gates", *(f"minus {titles[other].lower()}, points (95 % interval)" for other in controls)]
    pairs = {pair: formatting.points(found) for pair, found in differences.items()}
    lines = [[titles[one], *(pairs.get((one, other), "") for other in controls)] for one in gated]
    return formatting.table([heads, *lines])


def shared(subject: Subject) -> None:
    """Draw the share of the gates' variance that lies between classes, by depth, and the mean gates of each class."""
    from attnviz.ui.mechanisms.channel_attention.gates import between, over, title_of

    say = finding()
    net, source = subject.net, pickers.tests(subject)
    many, found = cache.of_net(over, net, source), cache.of_net(between, net, source)
    titles = {path: title_of(path, number) for number, path in enumerate(many.gates)}
    rows = [
        Row(titles[path], (100 * share, 100 * float(found.chance[path].mean())), words.spread(many.gates[path]))
        for path, share in found.shares.items()
    ]
    with st.container(key="shared_bars"):
        table = bars(
            rows,
            "gates of",
            ("between classes, %", "the same, labels shuffled, %"),
            "standard deviation",
            whole=100,
            decimals=2,
        )
        st.markdown(table, unsafe_allow_html=True)
    highest = [float(one.max()) for one in found.chance.values()]
    say(words.by_depth(list(found.shares.values()), highest, found.halves))
    paths = list(titles)
    chosen = words.STAGE_FIELDS.read(st.query_params.to_dict()).get("layer", 0)
    path = paths[chosen] if isinstance(chosen, int) and 0 <= chosen < len(paths) else paths[0]
    map_grid(CLASS_GATES.of(subject, layer=paths.index(path)), key=f"class_gates {path}")
    st.caption(words.classes(many.said))


EXPERIMENTS = {
    "maps": Experiment(
        "What comes before and after a gate?",
        "Draws the maps of each block with gates: after convolution, normalisation, ReLU and gate.",
        maps,
        ("stage",),
    ),
    "constant": Experiment(
        "Is it attention or a constant?",
        "Holds the gates at their mean, all of them and block by block, and counts the correct answers.",
        constant,
    ),
    "pays": Experiment(
        "Does it pay?",
        "Compares every kind of gate with the network without gates, and with a wider one that has as many weights.",
        pays,
    ),
    "shared": Experiment(
        "Do later gates depend more on the class?",
        "Measures, block by block, how much of the variance of the gates lies between classes, with shuffled labels as "
        "a control.",
        shared,
    ),
}
