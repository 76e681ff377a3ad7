"""The paper's question, answered with experiments and with our own results, which are read from the model cards."""

from collections.abc import Mapping

import streamlit as st

from attnviz import cards, comparisons, formatting
from attnviz.card import Card, Figure
from attnviz.formatting import signed
from attnviz.recipes.recipe import Test
from attnviz.recipes.schwarz import TESTS
from attnviz.ui.components import arrive
from attnviz.ui.mechanisms.pixel_attention.experiments import choice
from attnviz.ui.shared import page, url_state
from attnviz.ui.shared.glossary import term
from attnviz.ui.shared.results import result_dots
from attnviz.ui.shared.results.verdict import undecided

ELSEWHERE = "10_pixel_attention.py"  # the page of the other experiments
PLAIN, BILINEAR, NEAREST, _ = TESTS
ATTENTION, SHARP, PLACED = (f"pixel_attention.1v8-augmented{end}" for end in ("", "-nearest", "-positions"))
UNSCALED, FAILED = "pixel_attention.1v8-unscaled", 0.9  # trainings below this accuracy have failed
NET, SHARP_NET, NOISY = (
    "histogram_mlp.1v8-augmented",
    "histogram_mlp.1v8-augmented-nearest",
    "pixel_attention.1v8-noise",
)


def show(stated: Mapping[str, str | int]) -> None:
    """Draw the question and its answers, each with a button or a link to its experiment on the `stated` picture."""
    st.header("The paper's question", anchor=False)
    st.markdown(
        f"Schwarz trains 24 {term('heads')} on rotated digits, looks at their maps, and asks: *why did no local "
        "patterns appear, only the whole digit, and only two representations?*"
    )
    with st.container(key="question"):
        for number, (answer, label, experiment) in enumerate(answers()):
            words, button = st.columns([4, 1], gap="medium", vertical_alignment="center")
            words.markdown(answer)
            if experiment in choice.OF_THE_PAPER:
                button.button(label, key=f"question_{number}", on_click=_open, args=(experiment,), width="stretch")
            elif experiment:
                with button:
                    page.link(ELSEWHERE, label, **stated, experiment=experiment)


def answers() -> list[tuple[str, str, str]]:
    """Return the answers: Markdown, the label of the button, and the experiment that it opens, or "" for none."""
    return [
        (
            f"**Why only two representations?** A component of a {term('query')}, {term('key')} or {term('value')} "
            "is a linear function: w × intensity + b. Drawn on its own scale, it is the picture itself where w > 0 "
            "and its negative where w < 0, even before any training. Nothing was learnt there, and nothing else could "
            "have appeared.",
            "Count the two pictures", "paper",
        ),
        (
            f"**Why no local pattern?** No {term('token')} carries its position. Two pixels of one intensity have "
            "the same query and the same row of weights, and a weight depends only on two intensities and on the "
            f"picture's {term('histogram')}. Shuffle the pixels, and the maps are shuffled in the same way.",
            "Shuffle the pixels", "shuffle",
        ),
        (
            f"**How little does a head do?** Whatever is the same for all keys cancels in the {term('softmax')}. So "
            "of the twenty-four numbers behind a head of size 6, only two matter: a pixel of intensity x weights each "
            "intensity y by exp((a x + c) y). A head takes a mean of the histogram, shifted towards ink or towards "
            "background.",
            "Same intensity, same row", "shuffle",
        ),
        (
            f"**Why are the paper's score maps black and white?** {_unscaled()}",
            "Divide the scores", "temperature",
        ),
        (f"**So would a histogram do just as well?** {_histogram()}", "", ""),
        (f"**And with positions?** {_positions()}", "What a score is made of", "parts"),
        (f"**The paper's proposal: background noise.** {_noise()}", "", ""),
        (
            "**What remains unexplained?** Why training produces just these heads, and whether another seed would "
            "produce the same ones: for the other seeds of this model, only the accuracy was kept, on the page "
            f"{page.written_link(result_dots.PAGE, 'Results')}. Also what "
            "a violet spot in a map is *for*: that a head looks there does not show how much the answer depends on "
            "it. And one layer on one data set says nothing about larger models.",
            "Which heads are similar", "heads",
        ),
    ]  # fmt: skip


def _unscaled() -> str:
    card = _card(UNSCALED)
    if card is None:
        return f"`{UNSCALED}` is *not trained*."
    failed = sum((run.kept("validation_accuracy") or 0.0) < FAILED for run in card.runs)
    return (
        "The paper's files contain intensities of 0 to 255. Scores are then thousands of times as large, and the "
        "softmax is a hard maximum: a pixel takes everything from the pixels of extreme intensity. Not every training "
        f"recovers from that: {failed} of {len(card.runs)} answered fewer than {100 * FAILED:.0f} % of the validation "
        "pictures correctly. Those whose initial weights of query and key have opposite signs all did better than "
        "those whose signs are the same."
    )


def _histogram() -> str:
    attention, net = _card(ATTENTION), _card(NET)
    if attention is None or net is None:
        return f"`{ATTENTION}` or `{NET}` is *not trained*."
    one, other = _figure(attention, BILINEAR), _figure(net, BILINEAR)
    compared = (
        f"On rotated, shifted and stretched test pictures the 24 heads answer {formatting.percent(one.mean)} correctly "
        f"({formatting.percent(_figure(attention, PLAIN).mean)} of the plain ones). A small network that only counts "
        f"intensities answers {formatting.percent(other.mean)} ({formatting.percent(_figure(net, PLAIN).mean)}): "
        f"{_more(one, other)}{_unlike(attention.name, net.name)}. The paper reports 93 % on its validation pictures."
    )
    sharp, sharp_net = _card(SHARP), _card(SHARP_NET)
    if sharp is None or sharp_net is None:
        return compared
    gained = (
        _gained("the heads", _figure(attention, BILINEAR), _figure(sharp, NEAREST)),
        _gained("the network", _figure(net, BILINEAR), _figure(sharp_net, NEAREST)),
    )
    fallen = [formatting.percent(_figure(card, NEAREST).mean) for card in (attention, net)]
    return (
        f"{compared}\n\n**How much of this comes from blur?** A picture that is rotated by mixing neighbouring pixels "
        f"has grey levels that reveal the rotation. Trained *and* tested on mixtures instead of on nearest pixels: "
        f"{' and '.join(gained)}. But a model that learnt from mixtures relies on them: on nearest pixels the same "
        f"heads fall to {fallen[0]}, the network to {fallen[1]}."
    )


def _positions() -> str:
    placed, attention, net = _card(PLACED), _card(ATTENTION), _card(NET)
    if placed is None or attention is None or net is None:
        return f"`{PLACED}` is *not trained*."
    one = _figure(placed, BILINEAR)
    return (
        f"The same 24 heads, with a {term('position code')} joined to each token, on a grid of 14 x 14, answer "
        f"{formatting.percent(one.mean)} of the variants and {formatting.percent(_figure(placed, PLAIN).mean)} of the "
        f"plain pictures correctly. Compared with the heads without positions that is "
        f"{_more(one, _figure(attention, BILINEAR))}{_unlike(placed.name, attention.name)}; compared with the network "
        f"on the histogram, {_more(one, _figure(net, BILINEAR))}{_unlike(placed.name, net.name)}. Choose this model "
        "above: its maps are local."
    )


def _noise() -> str:
    noisy = _card(NOISY)
    if noisy is None:
        return f"`{NOISY}` is *not trained*."
    found = noisy.figure(noisy.recipe.tests[-1])
    assert found is not None
    return (
        "Noise changes intensities, but a token still carries no position: the maps remain maps of intensities. "
        f"Trained with it, 24 heads answer {formatting.percent(found.mean)} of the noisy pictures correctly and "
        f"{formatting.percent(_figure(noisy, PLAIN).mean)} of the plain ones."
    )


def _card(name: str) -> Card | None:
    return cards.usable([name]).get(name)


def _figure(card: Card, test: Test) -> Figure:
    found = card.figure(test)
    assert found is not None, "every recipe of one against eight has these tests"
    return found


def _more(one: Figure, other: Figure) -> str:
    """Return by how many points one model is better than another, over their seeds, with the interval."""
    found = comparisons.difference(one, other)
    if found.interval is None:
        return f"{signed(found.value, 1)} points (not decided: {undecided(found)})"
    low, high = found.interval
    return f"{signed(found.value, 1)} points (95 % interval {signed(low, 1)} to {signed(high, 1)})"


def _gained(who: str, blurred: Figure, clear: Figure) -> str:
    """Return by how many points a model is better on mixtures than another one on nearest pixels, and their seeds."""
    seeds = [blurred.seeds, clear.seeds]
    count = "one seed each" if seeds == [1, 1] else f"{seeds[0]} and {seeds[1]} seeds"
    return f"{signed(blurred.mean - clear.mean, 1)} points for {who} ({count})"


def _unlike(one: str, other: str) -> str:
    """Return the other differences between the trainings of two models, or "" if there are none."""
    differs = comparisons.trained_differently(one, other)
    return f", not trained in the same way ({'; '.join(differs)})" if differs else ""


def _open(experiment: str) -> None:
    url_state.set_value(experiment=experiment)
    arrive.ask()
