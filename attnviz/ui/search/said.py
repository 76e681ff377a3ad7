"""Text about the trials of a search: the chosen trial, whether a setting matters, and a table of all trials."""

import numpy as np
import streamlit as st

from attnviz.charts import MINUS
from attnviz.charts.plots import history
from attnviz.errors import AttnvizError, BadInput
from attnviz.formatting import counted
from attnviz.recipes.axes import Axis
from attnviz.subjects.history import key_of_run
from attnviz.training import runs
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.search import shown
from attnviz.ui.shared import page
from attnviz.ui.shared.wording import verbatim
from attnviz.views.url_fields import Fields
from attnviz.work.search import answers, trials
from attnviz.work.search.trials import Found, Trial, written


def chosen(one: Found, fields: Fields) -> None:
    """Draw the trial of a search that the URL names, or else the best one."""
    number = fields.read(st.query_params.to_dict()).get(fields.fields[1].name)
    trial = next((trial for trial in one.finished if trial.number == number), None)
    _trial(one, trial or one.best, is_best=trial is None)


def _trial(one: Found, trial: Trial | None, *, is_best: bool) -> None:
    if trial is None:
        return
    value = f"{one.measure} {trial.value:.4f}" if trial.value is not None else f"ended early: {trial.why}"
    st.markdown(
        f"**{'The best trial, number' if is_best else 'Trial'} {trial.number + 1}:** {verbatim(trial.described)}; "
        f"{verbatim(value)}."
    )
    if trial.values:
        course = ", ".join(f"{value:.3f}" for value in trial.values)
        took = f" It took {trial.seconds:.1f} seconds." if trial.seconds else ""
        st.caption(f"{one.measure.capitalize()} after each epoch: {course}.{took}")
    if not trial.run:
        return
    try:
        recipe, kept = runs.read(trial.run).recipe, runs.epochs(trial.run)
    except AttnvizError:
        st.caption("Its weights are not on this machine; only its figures were kept.")
        return
    for row in MECHANISMS.values():
        if recipe.model in row.models and kept:
            epoch = trial.epoch if trial.epoch in kept else kept[-1]
            page.link(row.page, "Look at it", model=key_of_run(trial.run, epoch), data=recipe.data)


def matters(found: list[Found], name: str) -> None:
    """Draw, for each search, whether more of a setting is better, with an interval or as an open question."""
    those = [one for one in found if name in [axis.name for axis in one.axes]]
    if not those:
        return
    st.header(f"Do {name.replace('_', ' ')} matter?", anchor=False)
    if shown.RANDOM in trials.names():
        random = trials.shipped(shown.RANDOM)
        if name in [axis.name for axis in random.axes]:
            st.markdown(
                f"**{verbatim(random.title)}, drawn at random, none ended early.** {contrast_words(random, name)}"
            )
            those = [one for one in those if one.name != random.name]
    for one in those:
        st.markdown(f"**{verbatim(one.title)}.** {judged(one, name)}")
    st.caption(
        "The difference is estimated by least squares, with straight lines or parabolas for the other settings; its "
        "95 % interval comes from drawing the trials again (bootstrap) and is not corrected for the number of "
        "differences. A search tries good settings more often, so its intervals are rough, except where the settings "
        "were drawn at random and all trials trained to their end."
    )


def judged(one: Found, name: str) -> str:
    """Return whether more of a setting is better in a search, first after one epoch if it ended trials early."""
    early = len(one.finished) - len(one.complete)
    if not early or name not in [axis.name for axis in one.axes]:
        return contrast_words(one, name)
    return (
        f"{early} of its {len(one.finished)} trials were ended early because they were not good, and the others "
        f"are not a fair sample. After the first epoch, which all have: {contrast_words(one, name, first=True)} Of "
        f"those that were trained to their end: {contrast_words(one, name)}"
    )


def contrast_words(one: Found, name: str, first: bool = False) -> str:
    """Return a sentence on whether more of a setting is better, at the end or after the first epoch."""
    axis = next((axis for axis in one.axes if axis.name == name), None)
    if axis is None:
        return "This search does not vary it."
    if not one.finished:
        return "No trial is finished yet."
    known = answers.contrast(one, name, first)
    above, below = sides(one, axis)
    if known is None:
        return "All its trials lie on one side, so they are not compared."
    scale, unit = (100, " points") if one.measure == "accuracy" else (1, "")
    said = f"{_signed(scale * known.value)}{unit} with {above} rather than {below}"
    counts = f"{counted(known.counts[1], 'trial')} against {known.counts[0]}"
    if known.interval is None:
        return f"Open: {said}, but one side has fewer than three trials ({counts})."
    ends = " to ".join(_signed(scale * end) for end in known.interval)
    if known.is_open:
        return f"Open: {said}, 95 % interval {ends} ({counts}). The interval contains 0, so nothing is decided."
    better = (known.value > 0) == (one.better == "higher")
    return f"More is {'better' if better else 'worse'}: {said}, 95 % interval {ends} ({counts})."


def sides(one: Found, axis: Axis) -> tuple[str, str]:
    """Return descriptions of the two sides of a setting: "more than 1" and "1", or "14 to 25" and "1 to 13"."""
    if axis.choices:
        lowest = written(axis.ordered[0])
        return f"more than {lowest}", lowest
    values = [trial.params[axis.name] for trial in one.finished]
    if not values or not all(isinstance(value, int) for value in values):
        return "values in the upper half", "the lower half"
    above = answers.is_above(axis, np.array([axis.place(value) for value in values]))
    parts = [[value for value, up in zip(values, above, strict=True) if up == side] for side in (True, False)]
    upper, lower = (f"{min(part)} to {max(part)}" if part else "none" for part in parts)
    return upper, lower


def _signed(value: float) -> str:
    return f"{'+' if value > 0 else MINUS if value < 0 else ''}{abs(value):.2f}"


def importance(one: Found) -> None:
    """Draw the importance of each setting, by two methods."""
    st.markdown(f"**{verbatim(one.title)}**")
    try:
        found = answers.importances(one)
    except BadInput as error:
        st.caption(verbatim(str(error)))
        return
    count = len(one.complete)
    head = " | ".join(["Setting", *found])
    rows = [
        " | ".join([axis.title, *(_share(shares.get(axis.name)) for shares in found.values())])
        for axis in one.axes
        if axis.name in next(iter(found.values()))
    ]
    st.markdown("\n".join([f"| {head} |", f"| --- |{' ---: |' * len(found)}", *(f"| {row} |" for row in rows)]))
    few = "" if count >= answers.ENOUGH else f" That is fewer than the {answers.ENOUGH} that the first method requires."
    st.caption(
        f"Based on {count} complete trials.{few} The first method, PED-ANOVA, measures what decides whether a trial is "
        "among the best tenth; the second measures the share of all differences that a setting alone explains. If they "
        "disagree, neither is wrong: they answer different questions."
    )


def _share(share: float | None) -> str:
    return "too few trials" if share is None else f"{100 * share:.0f} %"


def table_of(one: Found) -> None:
    """Draw all trials as a table, starting with the best, and the history."""
    sign = 1 if one.better == "higher" else -1
    ordered = sorted(one.finished, key=lambda trial: -sign * trial.value if trial.value is not None else float("inf"))
    rows = [
        {
            "trial": trial.number + 1,
            **{axis.title: written(trial.params[axis.name]) for axis in one.axes if axis.name in trial.params},
            one.measure: trial.value,
            "ended early": trial.why if trial.state == "pruned" else "",
        }
        for trial in ordered
    ]
    st.markdown(f"**{verbatim(one.title)}**")
    st.dataframe(rows, hide_index=True, height=300)
    if any(trial.run for trial in one.trials):  # a paper's trials may be sorted by their values
        figure = history([trial.value for trial in one.finished], one.measure, one.better == "higher")
        st.plotly_chart(figure, key=f"history-{one.name}", config={"displayModeBar": False})
