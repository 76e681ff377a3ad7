"""Add the answers of each seed of a checkpoint to its card, from the runs that trained the seeds.

A card holds figures of all seeds, but the repository only the weights of one. If the others are trained again, on a
machine that computes the same numbers, their answers can be added; no figure of the card changes.
"""

from collections.abc import Sequence
from typing import Any

from attnviz import cards, checkpoints, files
from attnviz.card import Card, Figure, SeedRun
from attnviz.comparisons import main_test
from attnviz.errors import CheckpointError, RunError
from attnviz.recipes.recipe import changed
from attnviz.training import measuring, runs
from attnviz.training.durations import core_seconds
from attnviz.training.examples import material
from attnviz.training.objectives import objective
from attnviz.training.run_file import RunFile
from attnviz.training.seeds import build, command_of


def add(name: str, main: bool = False) -> Card:
    """Add each seed's value and answers to a card, and core-seconds if it lacks them; write and return the card. Its
    figures stay the same.

    With `main`, only on the recipe's main test and with no part replaced, since everything else can take longer than
    the training. RunError: the runs of some seeds are missing or unfinished, or their results differ from the card's.
    """
    with checkpoints.writing(name):
        card = cards.read(name)
        recipe, others = card.recipe, [run for run in card.runs if run.seed != card.seed]
        given = material(recipe, "cpu")
        ids = {run.seed: _run_of(card, run, given.digest) for run in others}
        if missing := [seed for seed, found in ids.items() if found is None]:
            raise RunError(
                f"{runs.folder()} holds no finished run of {name} with the seeds {', '.join(map(str, missing))}. "
                f"Train them first: {command_of(recipe, missing)} --run-only --threads {card.threads}"
            )
        model = build(recipe)
        weights = {
            run.seed: checkpoints.stored(model, runs.weights(ids[run.seed] or "", run.epoch), recipe.weights)
            for run in others
        }
        several = measuring.Seeds(weights, card.seed, [card.seed], card, [run.seed for run in card.runs])
        tested = changed(recipe, tests=(main_test(recipe),), ablations=()) if main else recipe
        figures, ablations = measuring.measured(tested, several, model, given.everything, objective(recipe))
        took = [one for found in ids.values() for one in runs.durations(found or "")]
        computed = core_seconds(took) if others else None
        each: dict[str, Any] = {
            "figures": _with_answers(name, card.figures, figures),
            "ablations": card.ablations
            if main
            else tuple(
                old.model_copy(update={"figures": _with_answers(name, old.figures, new.figures)})
                for old, new in zip(card.ablations, ablations, strict=True)
            ),
        }
        if card.core_seconds is None and computed is not None:
            each["core_seconds"] = round(computed / len(others) * len(card.runs), 1)
        card = Card.model_validate(card.model_copy(update=each).model_dump())
        try:
            files.write(cards.home(name) / "card.json", cards.text(card))
        except OSError as error:
            raise CheckpointError(f"The card of {name} cannot be written: {files.reason(error)}.") from error
    return card


def _run_of(card: Card, run: SeedRun, digest: str) -> str | None:
    """Return the run that trained a seed of a card, with exactly equal losses, or None if it is unfinished."""
    wanted = RunFile(
        recipe=card.recipe, seed=run.seed, device="cpu", threads=card.threads, data_digest=digest, command=""
    )
    if wanted.id not in runs.ids() or runs.status(wanted.id).get("state") != "finished":
        return None
    probes = {probe.column for probe in card.recipe.probes}  # their last digits depend on the order of summation
    epochs = runs.curve(wanted.id)
    for column, values in run.curve.items():
        if column in probes or values == tuple(epoch.values.get(column) for epoch in epochs):
            continue
        raise RunError(
            f"The run {wanted.id} is another training than that of the card of {card.name}: its {column} differs. The "
            "same seed gives the same numbers only on a machine and with a version of torch that compute identically."
        )
    return wanted.id


def _with_answers(name: str, old: Sequence[Figure], new: Sequence[Figure]) -> tuple[Figure, ...]:
    """Return the figures of a card with each seed's values and answers, after checking that the figures are equal."""
    found = []
    measured = {_what(figure): figure for figure in new}
    for before in old:
        after = measured.get(_what(before))
        if after is None:
            found.append(before)
            continue
        agree = before.per_seed in (None, after.per_seed) and (before.lowest, before.highest) == (
            after.lowest, after.highest,
        )  # fmt: skip
        if not agree or abs(before.mean - after.mean) > 1e-12:
            raise RunError(
                f"The runs of {name} give another {before.name} on {before.data} than its card: "
                f"{after.per_seed} instead of {before.per_seed or before.mean}."
            )
        known = {"per_seed": after.per_seed, "right_per_seed": after.right_per_seed}
        found.append(before.model_copy(update=known))
    return tuple(found)


def _what(figure: Figure) -> tuple[object, ...]:
    return figure.name, figure.data, figure.split, figure.augmentation, figure.count
