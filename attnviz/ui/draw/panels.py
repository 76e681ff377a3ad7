"""The panels of the draw page: the models that have one, and its contents. `frontend/draw/cards.js` draws them.

The row of a mechanism defines its panels (attnviz/ui/mechanisms). A model that no row names has a panel too, with its
input and a link to the explorer.
"""

import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import streamlit as st

from attnviz import cards, data, files, subjects
from attnviz.errors import AttnvizError, closest
from attnviz.subjects import Net
from attnviz.subjects.history import history
from attnviz.ui import mechanisms
from attnviz.ui.components.drawing_pad import Cards
from attnviz.ui.components.drawn import ALL, MAPS, Drawn, Shown
from attnviz.ui.components.panel import MAP, Panel
from attnviz.ui.draw import tasks
from attnviz.ui.draw.tasks import Task
from attnviz.ui.live.jacobian import missing
from attnviz.ui.mechanisms import guard
from attnviz.ui.shared import url_state
from attnviz.ui.shared.wording import told, verbatim

AT_FIRST = 8
"""The number of panels that the page opens with."""

AT_MOST_KEPT = 4
"""The number of additional panels that it opens with for models that visitors keep."""

MOST = 24
"""The maximum number of panels: as many as can still answer while a hand draws."""

WORD = "models"  # URL field
TASK = "task"  # key of the choice of the task
HEADS = "heads"  # URL field: the attention head that each panel shows, counted from 1, as NAME:HEAD,NAME:HEAD

SHOWN = ("renderer", "says", "rows", "columns", "prefix", "heads", "page", "options")  # panel fields for the browser


def task(among: Mapping[tuple[str, ...], Task]) -> Task:
    """Return the task of the first model that the URL names, or the first task on offer if it names none."""
    every = subjects.usable()
    named = [every[name] for name in st.query_params.get(WORD, "").split(",") if name in every]
    return tasks.of_nets(named) or _first(among)


def first_task() -> Task:
    """Return the first task on offer."""
    return _first(offered())


def offered() -> dict[tuple[str, ...], Task]:
    """Return classes -> task for the tasks with models and pictures, in the order of the data sets."""
    nets: dict[tuple[str, ...], list[Net]] = {spec.classes: [] for spec in data.DATASETS.values()}
    for net in subjects.usable().values():
        classes = tasks.classes_of(net)
        if classes is not None:
            nets[classes].append(net)
    found = {classes: tasks.of_nets(of_task) for classes, of_task in nets.items()}
    return {classes: its for classes, its in found.items() if its is not None}


def chosen(its: Task | None = None) -> list[str]:
    """Return the checkpoints that have panels by default, for a task or the first one on offer.

    These are the latest models that visitors keep, followed by the best checkpoint of every mechanism and every
    control, and those that mechanisms name in addition, eight in all, with the mechanisms' first. The best checkpoint
    is one that has all classes of the task and was trained on pictures of its shape, if there is one, and among these
    has the highest accuracy on its validation part. Controls that are a mechanism's own models with attention switched
    off are shown only if the visitor chooses them.
    """
    its = its or first_task()
    known = known_of(its)
    order = mechanisms.order()
    order += sorted({net.architecture for net in known.values()} - set(order))
    best: dict[str, Net] = {}
    for net in sorted(known.values(), key=lambda net: order.index(net.architecture)):
        if cards.is_kept(net.key):
            continue
        row = mechanisms.of_model(net.architecture)
        own = row is not None and net.architecture in row.models
        if own and _is_control(net):
            continue  # the same network without its attention; other controls are more informative
        group = row.name if row and own else net.architecture
        if group not in best or _merit(net, its) > _merit(best[group], its):
            best[group] = net
    names = [net.key for net in sorted(best.values(), key=_is_control)]
    names += [name for row in mechanisms.MECHANISMS.values() for name in row.panels if name in known]
    first = [*dict.fromkeys(names)][:AT_FIRST]

    def place(name: str) -> tuple[bool, int]:
        return _is_control(known[name]), order.index(known[name].architecture)

    return [*_kept(known), *sorted(first, key=place)]


def _kept(known: Mapping[str, Net]) -> list[str]:
    """Return the latest models of a task that visitors keep, newest first; the visitor can choose more of them."""
    names = [name for name in known if cards.is_kept(name)]
    stamps = {name: files.stamp(cards.home(name) / "card.json") for name in names}
    return sorted(names, key=lambda name: stamps[name] or files.Stamp(0, 0, 0), reverse=True)[:AT_MOST_KEPT]


def panel_of(net: Net) -> Panel:
    """Return the panel of a net, which shows an error sentence below the picture if the mechanism is faulty."""
    row = mechanisms.of_model(net.architecture)
    says = "what it looks at cannot be drawn here yet"
    if row is not None:
        try:
            return guard.call(row, "panel", row.panel, net, gives=Panel)
        except guard.Failed as error:
            says = told(error)
    return Panel(net.architecture, net.title, "ink", says, page="explorer")


def shown(its: Task) -> list[str]:
    """Return the models with panels: those that the URL names, or else `chosen`; draw a sentence for invalid names."""
    word = st.query_params.get(WORD)
    if word is None:
        return chosen(its)
    known = known_of(its)
    asked = list(dict.fromkeys(word.split(",")))
    wrong = next((name for name in asked if name not in known), None)
    if wrong is not None:
        sentence = f"There is no model of {its.kind} called {wrong!r}, so it has no panel. {closest(wrong, known)}"
        st.warning(verbatim(sentence))
    if len(asked) > MOST:
        st.warning(f"The URL names {len(asked)} models; only the first {MOST} have panels.")
    return [name for name in asked if name in known][:MOST] or chosen(its)


def choose_task(its: Task, among: Mapping[tuple[str, ...], Task]) -> None:
    """Draw the choice of the task, if there are several; the models follow it."""
    titles = {classes: one.title for classes, one in among.items()}
    if len(titles) > 1:
        st.session_state[TASK] = its.classes
        st.segmented_control(
            "What the models classify", list(titles), key=TASK, format_func=titles.__getitem__, required=True,
            on_change=_turn_to, label_visibility="collapsed",
        )  # fmt: skip


def choose(names: list[str], its: Task) -> None:
    """Draw the choice of models, which is written into the URL."""
    titles = {name: net.title for name, net in known_of(its).items()}
    st.session_state[WORD] = names
    with st.expander("Choose the models"):
        st.multiselect(
            "Models with panels", list(titles), key=WORD, format_func=titles.__getitem__, max_selections=MOST,
            on_change=_keep, args=(its,), placeholder="Choose models", label_visibility="collapsed",
        )  # fmt: skip


def on_cards(names: list[str], its: Task, *, settled: bool = False) -> Cards:
    """Return the panels' data for the component; if `settled`, the page receives the models' input after each
    drawing.
    """
    described = describe(names)
    header = {
        "models": described,
        "settled": settled,
        "classes": list(its.classes),
        "kind": its.kind,
        "ink": its.spec.ink,
    }
    return Cards(header, {"card_sample": its.sample()})


def asked(cards: Cards, pinned: Drawn | None) -> Shown:
    """Return the state of the panels in the URL; draw a sentence for each invalid field."""
    change = url_state.choice("change", ["yes", "no"], "no") == "yes"
    shown = url_state.choice("map", MAPS, MAPS[0])
    then = _trained("pin_trained", ALL, "as at the drawing itself") if pinned else None
    return Shown(heads(cards.header["models"]), shown, change, pinned, _trained("trained", ALL - 1, "as trained"), then)


def describe(names: list[str]) -> list[dict[str, Any]]:
    """Return the data of each panel for the browser, as plain JSON values.

    checkpoint, title, kind, classes, parameters, accuracy (on the validation part, 0..1), shape (rows and columns of
    its input), missing (the reason why it has no Jacobian, or None), epochs (those of its history, each with the key of
    its net), page, and renderer, says, wanted, rows, columns, prefix, heads and options, as in `Panel`.
    """
    found = [(net, panel_of(net)) for net in map(subjects.net, names)]
    alike = Counter((panel.title, _kind(net, panel)) for net, panel in found)
    return [
        {
            "checkpoint": net.key,
            "title": panel.title,
            "kind": _kind(net, panel) if alike[panel.title, _kind(net, panel)] == 1 else net.title,
            "classes": list(net.classes),
            "parameters": net.parameters,
            "accuracy": validated(net),
            "shape": [net.input.rows, net.input.columns],
            "missing": missing(net),
            "epochs": _epochs(net),
            "wanted": {MAP: dict(panel.wanted)} if panel.wanted else {},
            **{name: getattr(panel, name) for name in SHOWN},
        }
        for net, panel in found
    ]


def heads(described: list[dict[str, Any]]) -> dict[str, int]:
    """Return model -> head, from 0, of the panels in the URL; draw a sentence for each invalid head."""
    word = st.query_params.get(HEADS)
    if word is None:
        return {}
    counts = {panel["checkpoint"]: panel["heads"] for panel in described}
    found = {}
    for part in word.split(",")[:MOST]:
        name, _, number = part.rpartition(":")
        good = number.isascii() and number.isdecimal() and len(number) < 6
        if name in counts and good and 0 < int(number) <= counts[name]:
            found[name] = int(number) - 1
        else:
            st.warning(verbatim(f"The URL asks for the head {part[:60]!r}, which no panel here has."))
    return found


def _epochs(net: Net) -> list[list[int | str]]:
    """Return the epochs of a net's history with the keys of their nets, or [] if it has no readable history."""
    with suppress(AttnvizError):
        its = history(net)
        return [[epoch, key] for epoch, key in its.points] if its else []
    return []


def _trained(name: str, most: int, without: str) -> int | None:
    """Return a URL field's percentage of the training, up to `most`, or None if it is missing or invalid."""
    word = st.query_params.get(name, "")
    if re.fullmatch("[0-9]{1,3}", word, re.ASCII) and int(word) <= most:
        return int(word)
    if word:
        st.warning(verbatim(f"The URL says {name}={word[:60]!r}; it can be 0 to {most}. You see the models {without}."))
    return None


def validated(net: Net) -> float:
    """Return the accuracy of a net's weights on the validation part, or 0 if unknown."""
    if net.card is None:
        return 0.0
    run = next((run for run in net.card.runs if run.seed == net.seed), None)
    return (run.kept("validation_accuracy") if run else None) or 0.0


def _kind(net: Net, panel: Panel) -> str:
    if cards.is_kept(net.key):
        return f"yours: {net.key.partition('.')[2]}" + (
            f", {' or '.join(sorted(net.classes))}" * (len(net.classes) == 2)
        )
    return panel.kind if len(net.classes) > 2 else f"{panel.kind}, {' or '.join(sorted(net.classes))}"


def _merit(net: Net, its: Task) -> tuple[bool, bool, float]:
    taken = net.input
    alone = (taken.rows, taken.columns) == its.spec.shape[:2]  # not a digit among clutter on a larger canvas
    return net.classes == its.classes, alone, validated(net)


def _is_control(net: Net) -> bool:
    return mechanisms.is_control(net.architecture, net.config)


def _first(among: Mapping[tuple[str, ...], Task]) -> Task:
    return next(iter(among.values()), None) or tasks.without_models()


def known_of(its: Task) -> dict[str, Net]:
    """Return all nets of a task that can be used."""
    return {name: net for name, net in subjects.usable().items() if tasks.classes_of(net) == its.classes}


def _keep(its: Task) -> None:
    names = st.session_state[WORD] or chosen(its)
    heads = [one for one in st.query_params.get(HEADS, "").split(",") if one.rpartition(":")[0] in names]
    url_state.set_value(**{WORD: None if names == chosen() else ",".join(names), HEADS: ",".join(heads) or None})


def _turn_to() -> None:
    names = chosen(offered()[st.session_state[TASK]])
    url_state.set_value(**{WORD: None if names == chosen() else ",".join(names), HEADS: None})
