"""The five experiments on the page, each a question."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from attnviz import cards, formatting
from attnviz.card import Card, Figure
from attnviz.recipes import RECIPES
from attnviz.subjects import Net, Subject
from attnviz.ui.components.map_grid import map_grid
from attnviz.ui.components.stage_grid import StageView, settled_view, stage_grid
from attnviz.ui.mechanisms.element_wise import MECHANISM, words
from attnviz.ui.mechanisms.element_wise.view import FILM, OF_HEADS, STAGES_VIEW, courses, fate_of
from attnviz.ui.mechanisms.element_wise.words import about
from attnviz.ui.shared import cache
from attnviz.ui.shared.experiments import Experiment, finding
from attnviz.ui.shared.results import ablated, result_dots
from attnviz.ui.shared.wording import share, short

CONTROLS = (
    *MECHANISM.controls,
    "pixel_line",
)  # logistic regression on the pixels, called softmax regression for ten classes
REPLACED = {
    "mean": "its mean map over training pictures",
    "one": "1 everywhere",
    "shuffled": "that of another picture",
    "zero": "0: nothing enters the convolution",
}  # name of an ablation on the card -> what replaces the relevance
FAIR = "mean"  # the replacement that keeps the strength of the relevance


def norm(subject: Subject, view: StageView) -> None:
    """Draw the stages around the norm of the relevance, on one scale, with eps as a slider."""
    from attnviz.ui.mechanisms.element_wise import stages

    if view.layers[0].norm is None:
        st.info(
            "This model does not normalise its relevance; it multiplies it so that an even share is 1. Choose model B "
            "or F."
        )
        return
    say = finding()
    measured = cache.of_subject(stages.measure, subject)
    columns = ("relevance", "normed_relevance", "attended", "after_conv", "output")
    stage_grid(
        STAGES_VIEW.of(subject), key="norm_stages", state={"scale": "all"}, columns=columns, switches=("eps",),
        inside=False, saves=False,
    )  # fmt: skip
    say(words.finding_of_norm([one.divided for one in measured]))
    lines = [
        "| Layer | variance of the relevance | variance stored in the norm | eps ÷ variance | gain |",
        "| --- " * 5 + "|",
    ]
    for number, one in enumerate(measured, 1):
        assert one.eps is not None
        assert one.trained is not None
        larger = f"{about(one.eps / one.variance)} times" if one.variance else "infinitely"
        cells = short(one.variance, 2), short(one.trained, 2), larger, share(one.gain)
        lines.append(f"| {number} | {' | '.join(cells)} |")
    st.markdown("\n".join(lines))
    st.caption(
        f"The table is for the model as trained; {words.left([one.left or 0.0 for one in measured])} All maps have the "
        "same scale, so that *normed* can be compared with what follows. *Gain* is the strength (root mean square) of "
        "what goes into the convolution, as a share of what came into the layer. The rest of the network was trained "
        "with its own eps, so its answers with another eps are not a fair test."
    )


def copy(subject: Subject, view: StageView) -> None:
    """Draw the stages with the relevance replaced, and the accuracies with it."""
    say = finding()
    say(words.finding_of_copy(*without_it(subject.net), len(subject.net.classes)))
    columns = ("normed_relevance", "attended", "after_conv", "output")
    stage_grid(
        STAGES_VIEW.of(subject), key="copy_stages", columns=columns, switches=("relevance",), inside=False, saves=False
    )
    st.markdown(ablations(subject.net))
    st.caption(
        "In the stages above, the mean map is the mean over up to 200 pictures of the model's data; in the table, for "
        "the seed shown here, it is the mean over 3,000 training pictures. Only the relevance is replaced: nothing is "
        "trained again. *That of another picture*: layer by layer; that picture in turn uses the relevance of a third. "
        f"{words.one_is([layer.mean for layer in view.layers if layer.mean is not None])}"
    )


def without_it(net: Net) -> tuple[Figure | None, Figure | None]:
    """Return a net's accuracy and that with the mean map as its relevance, on the same pictures, from its card."""
    if net.card is None or not net.card.figures:
        return None, None
    own = net.card.figures[0]
    fair: tuple[Figure, ...] = next((one.figures for one in net.card.ablations if one.name == FAIR), ())
    return own, ablated.like(fair, own)


def ablations(net: Net) -> str:
    """Return the card's accuracies with the relevance replaced as a table, or a sentence if the card has none."""
    card = net.card
    if card is None or not card.ablations or not card.figures:
        return "This model's card has no test with the relevance replaced; only the answer to this picture is known."
    own = card.figures[0]
    lines = [f"| Relevance | accuracy on {own.count:,} test pictures of {own.data} |", "| --- | --- |"]
    lines.append(f"| as learnt | {formatting.percent(own.value)} |")
    for one in card.ablations:
        figure = ablated.like(one.figures, own)
        if figure is not None:
            lines.append(f"| {REPLACED.get(one.name, one.title)} | {formatting.percent(figure.value)} |")
    return "\n".join(lines)


def dying(subject: Subject, view: StageView) -> None:
    """Draw a network that dies and one that does not, layer by layer, and state how many die."""
    say = finding()
    found = courses()
    if found is None:
        st.info(
            "The recordings of dying networks are missing from this installation; `python -m benchmarks.dying` makes "
            "them."
        )
        return
    dead = {int(layers): len(seeds) for layers, seeds in found["dead"].items()}
    st.markdown(
        f"The paper's models A and C stayed at chance: their loss, 15 ln 10, is that of guessing. {ours()}Each of "
        "their layers ends with a norm that has **one scale and one shift for the whole picture**, and the scale "
        "starts near 0. A simplified network without attention, trained on Fashion-MNIST, shows what can happen: the "
        "scale and the shift cross zero together, ReLU gives 0 everywhere, and no gradient ever comes back."
    )
    say(words.finding_of_dying(dead, found["seeds"]))
    for course in found["courses"]:
        film(course, subject)
    st.caption(
        "The simplified network dies like A and C, but a dead network has a gradient of exactly 0, and the paper "
        "reports about 1e-12. So it is not certain that this is what happened to them."
    )


def ours() -> str:
    """Return a sentence with the accuracies of models A and C as trained here, or "" if neither is."""
    names = {f"{MECHANISM.models[0]}.fashion-{model.lower()}": f"model {model}" for model in "AC"}
    here = {name: title for name, title in names.items() if cards.is_there(name)}
    found = result_dots.of(list(here), (), {}, "fashion_mnist")
    if not found:
        return ""
    parts = [
        f"{title} answers {row.mean:.2f} % correctly ({'one seed' if row.seeds == 1 else f'{row.seeds} seeds'})"
        for title, row in zip(here.values(), found, strict=True)
    ]
    return f"Trained here, {' and '.join(parts)}. "


def film(course: dict[str, Any], subject: Subject) -> None:
    """Draw the output of each layer after some steps, and its scale and shift over all steps."""
    fate = fate_of(course)
    map_grid(FILM.of(subject, fate=fate), key=f"film_{fate}")
    from attnviz.charts.plots import course_of_norm

    _draw(course_of_norm(course["steps"]), f"course_{fate}")


def heads(subject: Subject, view: StageView) -> None:
    """Draw the output of each head, switches for the heads, and models that differ in heads or layers."""
    say = finding()
    trained_on = subject.net.data or ""
    rows = [name for name in recipes(trained_on) if is_of_the_papers_series(name)]
    say(words.finding_of_sizes(sizes(rows, trained_on), len(subject.net.classes)))
    stage_grid(
        STAGES_VIEW.of(subject), key="heads_stages", switches=("heads",), state={"head": "mean"}, inside=False,
        saves=False,
    )  # fmt: skip
    settled = settled_view("heads_stages")
    layer = min(settled["layer"] if settled else 0, len(view.layers) - 1)
    map_grid(OF_HEADS.of(subject, layer=layer), key="heads_maps")
    if len(rows) > 1:
        result_dots.show(rows, CONTROLS, MECHANISM.papers, trained_on, key="heads_dots")


def sizes(names: Sequence[str], source: str) -> list[words.Size]:
    """Return the heads, layers and accuracy of the named models that are trained, on a data set's test pictures."""
    found = []
    for card in cards.readable(names).values():
        figure = measured(card, source)
        if figure is not None:
            config = {"heads": 1, "layers": 1, **card.config}
            found.append(words.Size(config.pop("heads"), config.pop("layers"), repr(sorted(config.items())), figure))
    return found


def is_of_the_papers_series(name: str) -> bool:
    """Return whether a recipe is one of the paper's models A to H, or one of its models with one head."""
    recipe = RECIPES[name]
    return recipe.model in MECHANISM.models and recipe.config.keys() <= {"heads", "layers", "output_norm"}


def worth(subject: Subject, view: StageView) -> None:
    """Draw accuracy against number of parameters, and compare the best model with the best control of its size."""
    say = finding()
    trained_on = subject.net.data or ""
    rows = result_dots.of(recipes(trained_on), CONTROLS, result_dots.claimed(MECHANISM.papers), trained_on)
    from attnviz.charts.plots import trade

    say(words.finding_of_worth(rivals(recipes(trained_on), trained_on), len(subject.net.classes)))
    _draw(trade(rows, axis=result_dots.ACCURACY), "worth_trade")


def _draw(figure: object, key: str) -> None:
    """Draw a plotly figure in the page's colours, without its toolbar."""
    st.plotly_chart(figure, key=key, theme="streamlit", config={"displayModeBar": False})


def rivals(names: Sequence[str], source: str) -> list[words.Rival]:
    """Return the size and accuracy of the named models that are trained, on a data set's test pictures."""
    found = []
    for name, card in cards.readable(names).items():
        figure = measured(card, source)
        if figure is not None and card.parameters:
            control = card.recipe.model in CONTROLS or MECHANISM.is_control(card.config)
            found.append(words.Rival(name, card.recipe.title, control, card.parameters, figure))
    return found


def measured(card: Card, source: str) -> Figure | None:
    """Return a model's accuracy on its largest test without augmentation on a data set, or None if it has none."""
    tests = [test for test in card.recipe.tests if test.data == source and test.augmentation is None]
    return max((one for test in tests if (one := card.figure(test))), key=lambda one: one.count, default=None)


def recipes(source: str) -> list[str]:
    """Return the names of the recipes of the mechanism and its controls that are tested on a data set."""
    models = MECHANISM.models + CONTROLS
    return [
        name
        for name, recipe in RECIPES.items()
        if recipe.model in models and any(test.data == source for test in recipe.tests)
    ]


EXPERIMENTS = {
    "norm": Experiment(
        "Does the norm normalise?",
        "Compares what the norm divides by with how much the relevance varies. Drag eps to change it.",
        norm,
    ),
    "copy": Experiment(
        "Does the layer need the relevance?",
        "Replaces the relevance with maps that do not depend on the picture, and counts the correct answers.",
        copy,
    ),
    "dying": Experiment(
        "Why did the paper's models A and C stay at chance?",
        "Counts how often a norm after the convolution switches off a whole layer for good.",
        dying,
    ),
    "heads": Experiment(
        "Do heads and layers matter?",
        "Compares trained models that differ in heads or layers alone. Below you can switch heads off.",
        heads,
    ),
    "worth": Experiment(
        "Is it worth its parameters?",
        "Compares accuracy and number of parameters with networks without attention.",
        worth,
    ),
}
