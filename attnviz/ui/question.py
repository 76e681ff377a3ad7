"""The paper's question, answered with experiments and with our figures, which are read from the cards."""

import streamlit as st

from attnviz import cards, results
from attnviz.cards import Card, Figure
from attnviz.recipes.recipe import Test
from attnviz.recipes.schwarz import TESTS
from attnviz.ui import address, arrive

PLAIN, BILINEAR, NEAREST, _ = TESTS
ATTENTION, SHARP, PLACED = (f"pixel_attention.1v8-augmented{end}" for end in ("", "-nearest", "-positions"))
UNSCALED, FAILED = "pixel_attention.1v8-unscaled", 0.9  # a share of right answers below which a training has failed
NET, SHARP_NET, NOISY = (
    "histogram_mlp.1v8-augmented",
    "histogram_mlp.1v8-augmented-nearest",
    "pixel_attention.1v8-noise",
)


def show() -> None:
    """Draw the question and its answers, each with a button that opens the experiment behind it."""
    st.header("The paper's question", anchor=False)
    st.markdown(
        "Schwarz trains 24 heads on turned digits, looks at their pictures, and asks: *why did no local patterns "
        "appear, only the whole digit, and only two representations?*"
    )
    with st.container(key="question"):
        for number, (said, label, experiment) in enumerate(answers()):
            words, button = st.columns([4, 1], gap="medium", vertical_alignment="center")
            words.markdown(said)
            if experiment:
                button.button(label, key=f"question_{number}", on_click=_open, args=(experiment,), width="stretch")


def answers() -> list[tuple[str, str, str]]:
    """Return what is said: Markdown, the words of its button, and the experiment that this opens ("" for none)."""
    return [
        (
            "**Why only two representations.** A component of a query, key or value is one straight line: "
            "w × intensity + b. Drawn on a scale of its own it is the picture itself where w > 0 and its negative "
            "where w < 0, before any training. Nothing was learnt there, and nothing else could have appeared.",
            "Count the two pictures", "paper",
        ),
        (
            "**Why no local pattern.** Nothing tells a token where it is. Two pixels of one intensity ask the same "
            "and get the same row of weights, and a weight depends on two intensities and on the picture's histogram "
            "only. Shuffle the pixels and the maps shuffle along.",
            "Shuffle the pixels", "shuffle",
        ),
        (
            "**How little is left of a head.** What is the same for all keys cancels in the softmax. So of the "
            "twenty-four numbers behind a head of size 6, two are left: a pixel of intensity x weighs each intensity y "
            "by exp((a x + c) y). A head takes a mean of the histogram, tilted towards ink or towards paper.",
            "Same intensity, same row", "same",
        ),
        (
            f"**Why the paper's score maps are black and white.** {_unscaled()}",
            "Divide the scores", "temperature",
        ),
        (f"**So does a histogram do as well?** {_histogram()}", "", ""),
        (f"**And with positions?** {_positions()}", "What a score is made of", "parts"),
        (f"**The paper's proposal: background noise.** {_noise()}", "", ""),
        (
            "**What stays unexplained.** Why a training makes just these heads, and whether another seed would make "
            "the same: of other seeds only the accuracy stands below. What a bright place in a map is *for*: that a "
            "head looks there does not say what the answer owes to it. And one layer on one data set says nothing "
            "about larger models.",
            "Which heads are alike", "heads",
        ),
    ]  # fmt: skip


def _unscaled() -> str:
    card = _card(UNSCALED)
    if card is None:
        return f"`{UNSCALED}` is *not trained*."
    failed = sum(run.curve[run.best_epoch - 1][2] < FAILED for run in card.runs)
    return (
        "Its files hold intensities of 0 to 255. Scores are then thousands of times as large, and the softmax is a "
        "hard maximum: a pixel takes all from the pixels of extreme intensity. Not every training gets out of that: of "
        f"{len(card.runs)} {failed} answered fewer than {100 * FAILED:.0f} % of the validation pictures rightly. Those "
        "whose first weights of query and key have opposite signs all did better than those where they have the same."
    )


def _histogram() -> str:
    attention, net = _card(ATTENTION), _card(NET)
    if attention is None or net is None:
        return f"`{ATTENTION}` or `{NET}` is *not trained*."
    one, other = _figure(attention, BILINEAR), _figure(net, BILINEAR)
    said = (
        f"On turned, shifted and stretched test pictures the 24 heads answer {results.percent(one.mean)} rightly "
        f"({results.percent(_figure(attention, PLAIN).mean)} of the plain ones). A small net that only counts "
        f"intensities answers {results.percent(other.mean)} ({results.percent(_figure(net, PLAIN).mean)}): "
        f"{_more(one, other)}. The paper reports 93 % on its validation pictures."
    )
    sharp, sharp_net = _card(SHARP), _card(SHARP_NET)
    if sharp is None or sharp_net is None:
        return said
    gained = {
        name: 100 * (_figure(blurred, BILINEAR).mean - _figure(clear, NEAREST).mean)
        for name, blurred, clear in (("the heads", attention, sharp), ("the net", net, sharp_net))
    }
    points = " and ".join(f"{more:+.1f} points for {name}" for name, more in gained.items())
    fallen = [results.percent(_figure(card, NEAREST).mean) for card in (attention, net)]
    return (
        f"{said}\n\n**How much of it is blur?** A picture that is turned by mixing neighbouring pixels has grey levels "
        f"that tell of the turn. Trained *and* tested on mixtures instead of on nearest pixels: {points}. But what was "
        f"learnt from mixtures leans on them: on nearest pixels the same heads fall to {fallen[0]}, the net to "
        f"{fallen[1]}."
    )


def _positions() -> str:
    placed, attention, net = _card(PLACED), _card(ATTENTION), _card(NET)
    if placed is None or attention is None or net is None:
        return f"`{PLACED}` is *not trained*."
    one = _figure(placed, BILINEAR)
    return (
        f"The same 24 heads, with a code of its place joined to each token, on a grid of 14 x 14: "
        f"{results.percent(one.mean)} of the variants and {results.percent(_figure(placed, PLAIN).mean)} of the plain "
        f"pictures. Beside the heads without positions that is {_more(one, _figure(attention, BILINEAR))}; beside the "
        f"net on the histogram {_more(one, _figure(net, BILINEAR))}. Choose it above: its maps are local."
    )


def _noise() -> str:
    noisy = _card(NOISY)
    if noisy is None:
        return f"`{NOISY}` is *not trained*."
    found = noisy.figure(noisy.recipe.tests[-1])
    assert found is not None
    return (
        "It changes intensities, not that a token does not know where it is: the maps stay maps of intensities. "
        f"Trained with it, 24 heads answer {results.percent(found.mean)} of the noisy pictures rightly and "
        f"{results.percent(_figure(noisy, PLAIN).mean)} of the plain ones."
    )


def _card(name: str) -> Card | None:
    return cards.read(name) if name in cards.names() else None


def _figure(card: Card, test: Test) -> Figure:
    found = card.figure(test)
    assert found is not None, "every recipe of one against eight has these tests"
    return found


def _more(one: Figure, other: Figure) -> str:
    """Say how many points more one shipped model has than another on the same pictures, with the interval."""
    value, lowest, highest = results.difference(one, other)
    return f"{100 * value:+.1f} points (95 % interval {100 * lowest:+.1f} to {100 * highest:+.1f})"


def _open(experiment: str) -> None:
    address.put(experiment=experiment)
    arrive.ask()
