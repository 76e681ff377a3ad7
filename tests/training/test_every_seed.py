"""The answers of each seed are added to a card from its runs, and nothing else on the card changes."""

import numpy as np
import pytest

from attnviz import cards, files
from attnviz.card import Card
from attnviz.comparisons import main_test
from attnviz.errors import RunError
from attnviz.training import every_seed, runs, seeds
from tests.training import small


@pytest.fixture
def trained(here) -> Card:
    chosen = small.recipe("pixel_line", epochs=2, patience=2)
    return seeds.train(chosen, range(3), device="cpu", threads=1, report=small.silent)


def forgetful(card: Card) -> Card:
    """Lay the card as it was before the answers of each seed were kept."""

    def without(figures):
        return tuple(one.model_copy(update={"per_seed": None, "right_per_seed": None}) for one in figures)

    ablations = tuple(one.model_copy(update={"figures": without(one.figures)}) for one in card.ablations)
    old = card.model_copy(update={"figures": without(card.figures), "ablations": ablations, "core_seconds": None})
    files.write(cards.home(card.name) / "card.json", cards.text(old))
    return old


def test_a_training_keeps_the_answers_of_each_seed(trained) -> None:
    for figure in trained.figures:
        answers = figure.answers()
        assert answers is not None and answers.shape == (3, figure.count // figure.draws)
        assert answers.mean(1) == pytest.approx(figure.per_seed)
        shipped = [run.seed for run in trained.runs].index(trained.seed)
        assert (answers[shipped] == figure.unpacked().reshape(figure.draws, -1).mean(0)).all()


def test_a_seed_that_is_added_later_stands_beside_the_answers_of_the_others(here) -> None:
    chosen = small.recipe("pixel_line", epochs=2, patience=2)
    train = {"device": "cpu", "threads": 1, "report": small.silent}
    whole = seeds.train(chosen, range(3), **train)
    (cards.home(chosen.key) / "card.json").unlink()
    seeds.train(chosen, [whole.seed], **train)
    others = [seed for seed in range(3) if seed != whole.seed]
    later = seeds.train(chosen, others, **train)
    of = {run.seed: right for run, right in zip(later.runs, later.figures[0].right_per_seed or (), strict=True)}
    assert [of[seed] for seed in range(3)] == [*(whole.figures[0].right_per_seed or ())]


def test_from_the_runs_a_card_gets_what_it_lacks_and_keeps_its_figures(trained) -> None:
    old = forgetful(trained)
    card = every_seed.add(trained.name)
    assert (card.figures, card.ablations) == (trained.figures, trained.ablations)
    for before, after in zip(old.figures, card.figures, strict=True):
        fields = {"per_seed": None, "right_per_seed": None}
        assert after.model_copy(update=fields) == before
    assert card.model_copy(update={"figures": old.figures, "ablations": old.ablations, "core_seconds": None}) == old
    assert card.core_seconds is not None
    assert cards.read(trained.name) == card


def test_on_the_main_test_alone_the_other_figures_stay_as_they_are(trained) -> None:
    old = forgetful(trained)
    card = every_seed.add(trained.name, main=True)
    main = main_test(trained.recipe)
    assert len(card.figures) > 1
    for before, whole, after in zip(old.figures, trained.figures, card.figures, strict=True):
        assert after == (whole if after.measures(main, "accuracy") else before)
    assert card.ablations == old.ablations


def test_seeds_without_a_run_are_named_with_the_command_that_trains_them(trained) -> None:
    forgetful(trained)
    lost = next(run.seed for run in trained.runs if run.seed != trained.seed)
    (found,) = [one for one in runs.ids() if runs.read(one).seed == lost]
    (runs.home(found) / "status.json").write_text('{"state": "stopped"}')
    with pytest.raises(
        RunError, match=f"with the seeds {lost}. Train them first: python -m .* --seeds {lost} --run-only"
    ):
        every_seed.add(trained.name)


def test_a_run_that_went_otherwise_is_refused(trained) -> None:
    old = forgetful(trained)
    changed = [
        run.model_copy(update={"curve": {**run.curve, "train_loss": tuple(np.add(run.curve["train_loss"], 1e-6))}})
        for run in old.runs
    ]
    files.write(cards.home(old.name) / "card.json", cards.text(old.model_copy(update={"runs": tuple(changed)})))
    with pytest.raises(RunError, match="another training than that of the card of pixel_line.small: its train_loss"):
        every_seed.add(trained.name)
    assert cards.read(trained.name).figures == old.figures
