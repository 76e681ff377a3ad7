"""What if one setting had been different? A finished run is trained once more with it, and the two are compared."""

import math
from collections.abc import Mapping, Sequence

import streamlit as st

from attnviz import formatting, subjects
from attnviz.charts.epochs import curves
from attnviz.errors import BadInput
from attnviz.models.spec import Setting
from attnviz.recipes import Recipe
from attnviz.recipes.altered import own, varied
from attnviz.subjects import Net, Picture, Subject
from attnviz.subjects.history import History
from attnviz.training import mistakes, runs
from attnviz.training.cost import duration
from attnviz.ui.live import second_training, trainings
from attnviz.ui.shared import epochs, page, pickers, url_state
from attnviz.ui.shared.experiments import Experiment
from attnviz.ui.shared.wording import share, verbatim
from attnviz.ui.training import access, yours
from attnviz.ui.training.experiments import choice
from attnviz.work.jobs import seen, table
from attnviz.work.jobs.order import Order
from attnviz.work.jobs.seen import Seen

OF, CHANGE, TO, AT, EXAMPLE = "of", "change", "to", "at", "example"  # URL fields
OFFERED = ("learning_rate", "heads", "positions", "skip")
EVERY = 2.0
"""The seconds between two checks of a running training."""

FIGURE = "validation_accuracy"
SLIDER = "epochs_of_both"  # component key; "epochs" is already a setting of this page


def show(there: Sequence[Seen]) -> None:
    """Draw the choice of a run and of the setting to change, and both runs once there are two."""
    jobs = {
        f"run:{run}": one
        for one in there
        if one.order and one.recipe and not yours.hidden(one)
        for run in one.runs
        if runs.status(run).get("state") == "finished"
    }
    titles = {key: title for key in sorted(jobs, key=_written, reverse=True)
              if (title := trainings.title_of(key.removeprefix("run:")))}  # fmt: skip
    if not titles:
        st.info("There is no finished training here yet. Train one above; then one of its settings can be changed.")
        return
    with st.container(key="what_if_row", horizontal=True, vertical_alignment="bottom"):
        key = choice.pick(OF, "Training", titles, clears=(AT,))
        before = runs.read(key.removeprefix("run:"))
        name, word = _change(before.recipe)
    asked = _asked(jobs[key], before.seed, name, word)
    made = asked.made()
    if made.trains_like(before.recipe):
        st.caption("This is the value that it was trained with. Choose another one.")
        return
    other = _run_of(there, made, before.seed)
    words = f"{varied(made)[name].title.lower()} {word.replace('_', ' ')}"
    if other is None and _job(there, made, before.seed) is None:
        st.button(f"Train it with {verbatim(words)}", key="what_if_start", on_click=_start, args=(key, asked))
        st.caption(
            "All other settings and the seed stay the same. It is listed above, with its progress, like any other."
        )
        return
    lives = (job := _job(there, made, before.seed)) is not None and job.lives
    st.fragment(_curves, run_every=EVERY if lives else None)(key, made, before.seed, words, lives)
    if other is not None and runs.epochs(other):
        _maps(trainings.history_of(key), trainings.history_of(f"run:{other}"), words)


def _start(key: str, asked: Order) -> None:
    url_state.set_value(**{OF: key})
    access.do(lambda: table.start(asked), "The training has been started; it continues without this page.")


def _written(key: str) -> int:
    return trainings.written(key.removeprefix("run:"))


def _change(recipe: Recipe) -> tuple[str, str]:
    """Draw the choice of a setting and of its value; return both as text."""
    known: Mapping[str, Setting] = {name: one for name, one in varied(recipe).items() if name in OFFERED}
    if not known:
        raise BadInput("This recipe has no setting that can be changed here.")
    name = url_state.choice(CHANGE, list(known), next(iter(known)), "setting")
    st.selectbox(
        "What to change", list(known), key=CHANGE, format_func=lambda one: known[one].title, width=180,
        on_change=lambda: url_state.set_value(**{CHANGE: st.session_state[CHANGE], TO: None}),
    )  # fmt: skip
    setting = known[name]
    now = setting.word(own(recipe, setting))
    if setting.kind == "choice":
        options = {one: one.replace("_", " ") for one in setting.values}
        word = url_state.pick(st.selectbox, f"Instead of {now.replace('_', ' ')}", TO, options, now, "value", width=180)
    else:
        word = st.session_state[TO] = st.query_params.get(TO, now)[:100]
        st.text_input(f"Instead of {now}", key=TO, max_chars=100, width=180, on_change=url_state.keep, args=(TO,))
        setting.read(word)
    return name, word


def _asked(one: Seen, seed: int, name: str, word: str) -> Order:
    """Return the order of one run with a setting changed."""
    assert one.order is not None
    changes = {**one.order.changes, name: word}
    return one.order.model_copy(update={"changes": changes, "seeds": (seed,), "more": None, "minutes": None})


def _job(there: Sequence[Seen], made: Recipe, seed: int) -> Seen | None:
    """Return the training of a recipe with the given seed, or None if there is none."""
    return next((one for one in there if one.recipe is not None and one.recipe.trains_like(made)
                 and one.order is not None and seed in one.order.seeds), None)  # fmt: skip


def _run_of(there: Sequence[Seen], made: Recipe, seed: int) -> str | None:
    """Return the run of a recipe and a seed, or None if it has not begun."""
    found = _job(there, made, seed)
    return next((run for run in found.runs if runs.read(run).seed == seed), None) if found else None


def _curves(key: str, made: Recipe, seed: int, words: str, lives: bool) -> None:
    """Draw the second training's progress, and both curves; `lives` if it was active at the page's last run."""
    with page.sentences():
        there = seen.look()
        job, run = _job(there, made, seed), _run_of(there, made, seed)
        if lives and not (job and job.lives):
            st.rerun()  # ends the refreshing
        if job and job.lives and job.progress and job.state.word == "running":
            left = "" if job.progress.seconds is None else f"; at most {duration(job.progress.seconds)} left"
            st.progress(
                job.progress.share,
                f"With {verbatim(words)}: {job.progress.epoch} of {job.progress.epochs} epochs{left}",
            )
        elif job and job.state.word != "finished":
            st.caption(verbatim(f"With {words}: {job.state.sentence}"))
        told = {"as it was": _values(key.removeprefix("run:"))}
        if run and (second := _values(run)):
            told[f"with {words}"] = second
        finished = run is not None and runs.status(run).get("state") == "finished"
        if run and finished and (said := in_words(key.removeprefix("run:"), run, words)):
            st.markdown(said)
        for column, name in zip(st.columns(2), ("loss", "accuracy"), strict=True):
            column.markdown(curves(told, name), unsafe_allow_html=True)


def _values(run: str) -> list[Mapping[str, float | None]]:
    return [epoch.values for epoch in runs.curve(run)]


def in_words(one: str, other: str, words: str) -> str:
    """Return the change's effect on the best validation accuracy, or "" if none was recorded."""
    best = [max((value for epoch in _values(run) if (value := epoch.get(FIGURE)) is not None), default=None)
            for run in (one, other)]  # fmt: skip
    found = mistakes.read(one)
    if best[0] is None or best[1] is None or found is None:
        return ""
    return compared(best[0], best[1], sum(map(sum, found.confusion)), words)


def compared(one: float, other: float, count: int, words: str) -> str:
    """Return a sentence that compares two accuracies, 0..1, on `count` pictures."""
    difference = other - one
    reach = 1.96 * math.sqrt((one * (1 - one) + other * (1 - other)) / count)
    verdict = (
        "answers about as well, as far as these pictures can show"
        if abs(difference) <= reach
        else f"answers {'better' if difference > 0 else 'worse'}"
    )
    ends = [formatting.signed(end) for end in (difference - reach, difference + reach)]
    return (
        f"**With {verbatim(words)} it {verdict}**: at its best epoch {share(other)} of {count:,} "
        f"validation pictures are right, instead of {share(one)} (95 % interval of the difference {ends[0]} to "
        f"{ends[1]} points). This is one seed: "
        "another may reverse the difference."
    )


def _maps(its: History, other: History, words: str) -> None:
    """Draw both nets with one slider, on a picture that neither was trained on."""
    known = [point.key for point in its.points]
    net = subjects.net(url_state.choice(AT, known, known[-1], "epoch"))
    example = _example(net)
    if example is None:
        st.caption("Your own pictures are not drawn here, and neither are maps of them.")
        return
    st.caption(f"A picture that neither was trained on. First: as it was; second: with {verbatim(words)}.")
    epochs.slider(net, other, lambda key: url_state.set_value(**{OF: its.key, AT: key}), SLIDER)
    second_training.maps(Subject(net, example), other)


def _example(net: Net) -> Picture | None:
    """Draw the button that moves on to another picture, and return the picture, or None if there is none to show."""
    if not pickers.sources(net):
        return None
    source = pickers.default_source(net)
    numbers = pickers.Fitting(net, source, pickers.ANY, wrong=False).numbers
    place = url_state.number(EXAMPLE, len(numbers), 0)
    st.button("Another picture", key="what_if_next", on_click=lambda: url_state.set_value(
        **{EXAMPLE: (place + 1) % len(numbers)}))  # fmt: skip
    return Picture(source, int(numbers[place]))


EXPERIMENT = Experiment(
    "What if one setting had been different?",
    "Trains a run once more with its learning rate, heads, positions or skip changed, and compares the two.",
    show,
    (OF, CHANGE, TO, AT, EXAMPLE),
)
