"""The experiments on the page, each a question."""

import streamlit as st

from attnviz import cards, comparisons, formatting
from attnviz.card import Card, Figure
from attnviz.models import input_of
from attnviz.recipes import RECIPES
from attnviz.subjects import Net, Picture, Subject
from attnviz.ui.components.glimpse_player import glimpse_player
from attnviz.ui.mechanisms.recurrent_attention import compare, words
from attnviz.ui.mechanisms.recurrent_attention.view import GLIMPSES_VIEW
from attnviz.ui.shared import cache
from attnviz.ui.shared.experiments import Experiment, finding
from attnviz.ui.shared.results import ablated
from attnviz.ui.shared.results.verdict import beside
from attnviz.ui.shared.wording import share
from attnviz.views.glimpses import GlimpseView

OURS = "recurrent_attention.cluttered"
ONE_DRAW = "accuracy_one_draw"
LOOKS = {
    "shuffled": "at places chosen for another picture",
    "mean": "along the mean path, the same for all",
}  # name of an ablation on the card -> the locations used


def depends(subject: Subject, view: GlimpseView) -> None:
    """Draw the answers to another picture along its own and other paths, and the accuracies with other paths."""
    from attnviz.ui.mechanisms.recurrent_attention import glances

    say = finding()
    net, example = subject
    other = example.of_another_class(net.classes) if isinstance(example, Picture) else None
    if other is None:
        st.info("There is no other picture to compare with: choose one of a data set instead of your drawing.")
        return
    compared = Subject(net, other)
    borrowed = GlimpseView.unpacked(GLIMPSES_VIEW.of(subject, draw=None)).location.tolist()
    common = cache.of_net(glances.mean_path, net, other.data)
    paths = {
        "Along its own path": [],
        "Along the path of the picture above": borrowed,
        "Along the mean path of some pictures": [[*place] for place in common],
    }
    payloads = {title: GLIMPSES_VIEW.of(compared, draw=None, forced=forced) for title, forced in paths.items()}
    views = {title: GlimpseView.unpacked(payload) for title, payload in payloads.items()}
    own_path = compare.measured(net.card, ONE_DRAW) if net.card else None
    borrowed_path = ablated.like(shuffled(net), own_path) if own_path else None
    said = [net.classes[int(seen.belief[-1].argmax())] for seen in views.values()]
    say(words.finding_of_path(own_path, borrowed_path, said[:2], len(net.classes)))
    st.markdown("Another picture, and what the model answers when it looks at it:")
    for column, (title, seen) in zip(st.columns(len(views), gap="medium"), views.items(), strict=True):
        with column:
            st.markdown(f"**{title}**")
            glimpse_player(payloads[title], key=f"along_{title.split()[2]}", parts=())
            st.markdown(words_of(seen))
    st.markdown(ablations(net))
    st.caption(
        "In these three pictures no location is drawn at random: the model looks at the means. If its answer is as "
        "good along a path that was made for another picture, it does not need to choose where it looks."
        + (f" {words.BORROWED}" if shuffled(net) else "")
    )


def chooses_nothing(subject: Subject, view: GlimpseView | None = None) -> str | None:
    """Return why the paths of a model that chooses none cannot be compared, or None if it chooses them."""
    how = {
        "random": "The locations of this model are drawn at random",
        "fixed": "The locations of this model are the same for every picture",
    }.get(str(subject.net.config.get("policy", "learnt")))
    return how and f"{how}, so they do not depend on it: choose a model that has learnt where to look."


def words_of(view: GlimpseView) -> str:
    """Return the answer after the last glimpse, and whether it is correct, as Markdown."""
    belief = view.belief[-1]
    which = int(belief.argmax())
    right = "" if view.label is None else ", correct" if view.classes[which] == view.label else f", not {view.label}"
    return f"Answer: **{view.classes[which]}**, {share(float(belief[which]))}{right}"


def ablations(net: Net) -> str:
    """Return the card's accuracies with other paths as a table, or a sentence if the card has none.

    They are given with one draw and with ten, because averaging over ten hides the cost of another path.
    """
    card = net.card
    if card is None or not card.ablations:
        return "This model's card has no test with other paths; only the answers above are known."
    own = [one for wanted in compare.DRAWS if (one := compare.measured(card, wanted))]
    if not own:
        return ""
    head = f"| Accuracy on {max(one.count for one in own):,} test pictures | one draw | ten draws, averaged |"
    lines = [head, "| --- | --- | --- |"]
    for name, title in {"": "along the path that it chooses", **LOOKS}.items():
        figures = own if not name else [ablated.like(_ablated(card, name), one) for one in own]
        values = {one.name: formatting.percent(one.value) for one in figures if one}
        if values:
            lines.append(f"| {title} | {' | '.join(values.get(wanted, '') for wanted in compare.DRAWS)} |")
    return "\n".join(lines)


def shuffled(net: Net) -> tuple[Figure, ...]:
    """Return the figures measured at places chosen for other pictures, empty if there are none."""
    return _ablated(net.card, "shuffled") if net.card else ()


def _ablated(card: Card, name: str) -> tuple[Figure, ...]:
    return next((one.figures for one in card.ablations if one.name == name), ())


def worth(subject: Subject, view: GlimpseView) -> None:
    """Draw the accuracy of learnt locations with those of random ones, a ring, the centre and an oracle.

    The gain from learning where to look is stated twice, for the same network: against one with random locations, and
    along one path for all pictures.
    """
    say = finding()
    fashion = "fashion" in (subject.net.data or "")
    learnt_one, fixed = ("fashion", "fashion-ring") if fashion else ("cluttered", "cluttered-random")
    other = "on a ring that is the same for all pictures" if fashion else "drawn at random"
    answers = len(subject.net.classes)
    differs = comparisons.trained_differently(f"{compare.LOOKS}.{learnt_one}", f"{compare.LOOKS}.{fixed}")
    found = [
        words.finding_of_learning(accuracy(learnt_one), accuracy(fixed), other, answers, differs),
        words.finding_of_choosing(accuracy(learnt_one), accuracy_of_one_path(learnt_one), answers),
    ]
    names = ("fashion", "fashion-collapsed", "fashion-ring") if fashion else (
        "cluttered", "cluttered-every-glimpse", "cluttered-random", "cluttered-50-epochs", "cluttered-ring",
        "cluttered-centre", "cluttered-oracle",
    )  # fmt: skip
    learnt = [f"{compare.LOOKS}.{name}" for name in names]
    source = RECIPES[learnt[0]].data
    say(beside("\n\n".join(found), subject.net, source))
    controls = [name for name, recipe in RECIPES.items() if (recipe.model, recipe.data) == ("pixel_mlp", source)]
    compare.show([*learnt, *controls], [name for name in learnt if policy(name) == "learnt"], key="worth")
    text = (
        "Averaging the answers of ten draws hides a bad policy: where one draw misses, another one hits. So compare "
        "the accuracies with one draw too."
    )
    if not fashion:
        text += (
            " The oracle receives the place of the digit: it shows roughly what this network could gain by looking "
            "better."
        )
    st.caption(text)


def policy(name: str) -> str:
    """Return the policy with which a recipe's model chooses its locations."""
    found: str = RECIPES[name].config.get("policy", "learnt")
    return found


def published(subject: Subject, view: GlimpseView) -> None:
    """Draw the accuracies with the broken gradient, the repaired one and ours."""
    say = finding()
    broken, correct = accuracy("cluttered-6-as-published"), accuracy("cluttered-6")
    found = words.finding_of_gradient(broken, correct, len(subject.net.classes))
    say(beside(found, subject.net, RECIPES[OURS].data))
    names = [f"{compare.LOOKS}.cluttered-6{end}" for end in ("-as-published", "")] + [OURS]
    compare.show(names, names, key="published")
    st.caption(
        "In the implementation that the paper's settings come from, the drawn location was not detached: the gradient "
        "of the classifier ran through it into the policy, and the policy's own signal was lost almost everywhere. The "
        "paper does not name its code, so it is very likely, but not proven, that its models were trained in this way."
    )


def fewer(subject: Subject, view: GlimpseView) -> None:
    """Draw the accuracies of models with other numbers of glimpses and with narrower retinas."""
    say = finding()
    fashion = "fashion" in (subject.net.data or "")
    ends = ("fashion-8x8x1", "fashion-7x7x3", "fashion") if fashion else ("cluttered-4", "cluttered-6", "cluttered-8")
    names = [f"{compare.LOOKS}.{end}" for end in ends]
    read = {name: numbers_read(name) for name in names}
    least, most = (pick(names, key=read.__getitem__) for pick in (min, max))
    differs = comparisons.trained_differently(most, least)
    both = ((read[name], compare.accuracy(name)) for name in (least, most))
    found = words.finding_of_fewer(*both, answers=len(subject.net.classes), differs=differs)
    say(beside(found, subject.net, RECIPES[most].data))
    compare.show(names, names, key="fewer")
    lines = ["| Model | numbers read | pixels of the picture |", "| --- | --- | --- |"]
    for name in names:
        taken = input_of(compare.LOOKS, RECIPES[name].config)
        lines.append(f"| {RECIPES[name].title} | {read[name]:,} | {taken.rows * taken.columns:,} |")
    st.markdown("\n".join(lines))


def numbers_read(name: str) -> int:
    """Return how many numbers a recipe's model reads from a picture in all its glimpses."""
    config = RECIPES[name].config
    return int(config["glimpses"] * config["scales"] * config["size"] ** 2)


def accuracy(end: str) -> Figure | None:
    """Return the accuracy with one draw of the recurrent model whose recipe's name ends in `end`, or None."""
    return compare.accuracy(f"{compare.LOOKS}.{end}")


def accuracy_of_one_path(end: str) -> Figure | None:
    """Return the same along the mean path, from the card's ablations, or None if that was not measured."""
    name = f"{compare.LOOKS}.{end}"
    card = cards.readable([name]).get(name)
    own = compare.measured(card, ONE_DRAW) if card else None
    return ablated.like(_ablated(card, "mean"), own) if card and own else None


EXPERIMENTS = {
    "depends": Experiment(
        "Does it depend on the picture?",
        "Makes the model look where it would look in another picture, and counts the correct answers.",
        depends,
        refusal=chooses_nothing,
    ),
    "worth": Experiment(
        "Is learning where to look worth it?",
        "Compares learnt locations with random ones, with a ring, with the centre alone, and with those of an oracle.",
        worth,
    ),
    "published": Experiment(
        "Did the broken gradient cost accuracy?",
        "Compares a model trained with the gradient that the paper very likely used with one trained with the correct "
        "one.",
        published,
    ),
    "fewer": Experiment(
        "How much must it see?",
        "Compares models with fewer glimpses or narrower retinas, and the numbers that each reads.",
        fewer,
    ),
}
