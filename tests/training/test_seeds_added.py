"""Seeds that are added to a checkpoint, and trainings that are resumed, attnviz/training/seeds.py."""

import itertools

import pytest

import attnviz
from attnviz import cards, checkpoints, data
from attnviz.data import Dataset
from attnviz.errors import RunError
from attnviz.training import runs, seeds
from attnviz.training.durations import Duration
from attnviz.training.progress import Epoch
from attnviz.training.run import Run
from attnviz.work import processes
from tests.training import small


def test_seeds_are_added_to_a_card_that_is_there(here):
    chosen = small.recipe(**small.ABLATED)
    together = seeds.train(chosen, [0, 1, 2], device="cpu", threads=1, report=small.silent)
    (here / "checkpoints" / chosen.key / "card.json").unlink()
    seeds.train(chosen, [0], device="cpu", threads=1, report=small.silent)
    added = seeds.train(chosen, [1, 2], device="cpu", threads=1, report=small.silent)
    assert added.command == together.command == "python -m attnviz train pixel_attention --recipe small --seeds 0-2"
    same = {"seconds", "core_seconds"}
    assert added.model_dump(exclude=same) == together.model_dump(exclude=same)
    assert len(added.figures[0].per_seed) == len(added.ablations[0].figures[0].per_seed) == 3
    assert cards.text(attnviz.load(chosen.key).card) == cards.text(added)


def test_of_two_trainings_of_a_recipe_side_by_side_the_last_keeps_the_seeds_of_the_first(here, monkeypatch):
    chosen, train_seed = small.recipe(**small.ABLATED), seeds._train_seed

    def beside(job, seed, command, **options):
        if seed == 0:  # while this one trains, another one begins and ends
            seeds.train(chosen, [1, 2], device="cpu", threads=1, report=small.silent)
        return train_seed(job, seed, command, **options)

    monkeypatch.setattr(seeds, "_train_seed", beside)
    card = seeds.train(chosen, [0], device="cpu", threads=1, report=small.silent)
    monkeypatch.undo()
    assert [run.seed for run in card.runs] == [1, 2, 0]
    assert cards.read(chosen.key) == card
    assert card.command == "python -m attnviz train pixel_attention --recipe small --seeds 0-2"
    (here / "checkpoints" / chosen.key / "card.json").unlink()
    whole = seeds.train(chosen, [1, 2, 0], device="cpu", threads=1, report=small.silent)
    same = {"seconds", "core_seconds"}
    assert card.model_dump(exclude=same) == whole.model_dump(exclude=same)


def test_who_writes_a_checkpoint_waits_for_whoever_does(here):
    with checkpoints.writing("pixel_attention.small"):
        assert processes.is_locked(cards.folder() / ".pixel_attention.small.lock")
        assert cards.names() == []
    assert not processes.is_locked(cards.folder() / ".pixel_attention.small.lock")


def test_seeds_are_added_to_the_figures_of_their_own_test(here):
    every = small.recipe("pixel_line").tests[0]
    for tests in itertools.permutations([every.model_copy(update={"count": 20}), every]):
        chosen = small.recipe("pixel_line", name=f"first-{tests[0].count}", tests=tests)
        one, two = (
            seeds.train(chosen, [seed], device="cpu", threads=1, report=small.silent).figures for seed in (0, 1)
        )
        assert len({figure.value for figure in one}) == len({figure.count for figure in one}) == 2
        assert [figure.per_seed[0] for figure in two] == [figure.value for figure in one]


def test_a_seed_that_is_there_is_replaced_and_the_others_stay(here):
    chosen = small.recipe(**small.ABLATED)
    before = seeds.train(chosen, [0, 1, 2], device="cpu", threads=1, report=small.silent)
    after = seeds.train(chosen, [1], device="cpu", threads=1, report=small.silent)
    assert [run.seed for run in after.runs] == [0, 2, 1]
    assert (after.seed, after.weights_digest) == (before.seed, before.weights_digest)
    assert sorted(after.figures[0].per_seed) == sorted(before.figures[0].per_seed)
    assert after.figures[0].right == before.figures[0].right
    per_seed = {seed: _took(seed) for seed in (0, 1, 2)}
    assert before.seconds == pytest.approx(sum(per_seed.values()), abs=0.1)
    assert after.seconds == pytest.approx(before.seconds * 2 / 3 + per_seed[1], abs=0.2)
    assert before.core_seconds is not None
    assert after.core_seconds == pytest.approx(before.core_seconds, rel=0.5)
    # an old card does not hold them: the seeds that stay count as the new one
    checkpoints.save(attnviz.load(after.name).model.state_dict(), after.model_copy(update={"core_seconds": None}))
    again = seeds.train(chosen, [1], device="cpu", threads=1, report=small.silent)
    assert again.core_seconds == pytest.approx(3 * _computed(1), abs=0.1)


def test_a_card_without_weights_takes_further_seeds_while_its_own_stays_the_best(here):
    chosen = small.recipe(**small.ABLATED)
    whole = seeds.train(chosen, [0, 1, 2], device="cpu", threads=1, report=small.silent)
    home, others = here / "checkpoints" / chosen.key, [seed for seed in (0, 1, 2) if seed != whole.seed]
    (home / "card.json").unlink()
    alone = seeds.train(chosen, [whole.seed], device="cpu", threads=1, report=small.silent)
    (home / "weights.safetensors").unlink()
    card = seeds.train(chosen, others, device="cpu", threads=1, report=small.silent)
    assert not (home / "weights.safetensors").exists()
    assert (card.seed, card.weights_digest, card.example) == (whole.seed, whole.weights_digest, alone.example)
    assert sorted(card.figures[0].per_seed) == sorted(whole.figures[0].per_seed)
    assert card.figures[0].right == whole.figures[0].right
    (home / "card.json").unlink()
    seeds.train(chosen, others[:1], device="cpu", threads=1, report=small.silent)
    (home / "weights.safetensors").unlink()
    assert seeds.train(chosen, [whole.seed], device="cpu", threads=1, report=small.silent).seed == whole.seed


def _took(seed: int) -> float:
    """Return the seconds of a seed's epochs, from the log of its run."""
    return sum(one.seconds for one in _durations(seed))


def _computed(seed: int) -> float:
    """Return the core-seconds of a seed's epochs, from the log of its run."""
    return sum(one.core_seconds or 0 for one in _durations(seed))


def _durations(seed: int) -> list[Duration]:
    (run,) = [Run(runs.read(run)) for run in runs.ids() if runs.read(run).seed == seed]
    return run.durations()


def test_seeds_can_be_added_to_an_old_card_but_not_replaced_on_it(here):
    chosen = small.recipe("pixel_line")
    card = seeds.train(chosen, [0, 1], device="cpu", threads=1, report=small.silent)
    untold = {"per_seed": None, "right_per_seed": None}
    old = card.model_copy(update={"figures": tuple(one.model_copy(update=untold) for one in card.figures)})
    checkpoints.save(attnviz.load(card.name).model.state_dict(), old)
    with pytest.raises(
        RunError, match=r"has the seeds 0-1 with no figures per seed, .* again with --seeds 0-1, or remove"
    ):
        seeds.train(chosen, [1], device="cpu", threads=1, report=small.silent)
    added = seeds.train(chosen, [2], device="cpu", threads=1, report=small.silent)
    assert added.figures[0].per_seed is None
    assert added.figures[0].seeds == 3
    alone = seeds.train(chosen, [0, 1, 2], device="cpu", threads=1, report=small.silent).figures[0]
    assert added.figures[0].mean == pytest.approx(sum(alone.per_seed) / 3)
    assert (added.figures[0].lowest, added.figures[0].highest) == (min(alone.per_seed), max(alone.per_seed))


def test_seeds_of_another_recipe_or_of_other_data_are_not_mixed(here, monkeypatch):
    seeds.train(small.recipe("pixel_line", epochs=1), [0], device="cpu", threads=1, report=small.silent)
    with pytest.raises(
        RunError, match=r"pixel_line.small has the seeds 0 with another recipe. .* --seeds 0, or remove"
    ):
        seeds.train(small.recipe("pixel_line", epochs=2), [1], device="cpu", threads=1, report=small.silent)
    monkeypatch.setattr(data, "digest", lambda dataset: "1")
    with pytest.raises(RunError, match="has the seeds 0 with other data"):
        seeds.train(small.recipe("pixel_line", epochs=1), [1], device="cpu", threads=1, report=small.silent)
    assert not list((here / "runs").glob("*.1"))  # said before anything is trained


def test_a_damaged_card_is_no_hindrance_to_training_again(here):
    chosen = small.recipe("pixel_line", epochs=1)
    seeds.train(chosen, [0], device="cpu", threads=1, report=small.silent)
    (here / "checkpoints" / chosen.key / "card.json").write_text("{}")
    assert [run.seed for run in seeds.train(chosen, [1], device="cpu", threads=1, report=small.silent).runs] == [1]


def test_a_training_gone_on_with_gives_the_same_checkpoint(here, tmp_path_factory):
    class Stop(Exception):
        pass

    def stop(seed: int, event: object) -> None:
        if seed == 1 and isinstance(event, Epoch) and event.epoch == 2:
            raise Stop

    chosen = small.recipe()
    with pytest.raises(Stop):
        seeds.train(chosen, [0, 1], device="cpu", threads=1, report=stop)
    assert cards.names() == []
    card = seeds.train(chosen, [0, 1], device="cpu", report=small.silent)  # the threads are those it was started with
    expected = small.checkpoint()[0]
    same = {"seconds", "core_seconds"}
    assert card.model_dump(exclude=same) == expected.model_dump(exclude=same)


def test_another_data_set_under_the_same_name_is_trained_on_anew_in_a_run_of_its_own(here, monkeypatch):
    chosen = small.recipe("pixel_line", epochs=1)
    first = seeds.train(chosen, [0], device="cpu", threads=1, report=small.silent)

    def changed(*which: object, **options: object) -> Dataset:
        images, labels = small.few(*which, **options)
        images = images.copy()
        images[0, 0, 0, 0] ^= 1
        return Dataset(images, labels)

    monkeypatch.setattr(data, "load", changed)
    second = seeds.train(chosen, [0], device="cpu", threads=1, report=small.silent)
    assert second.data_digest != first.data_digest
    assert second.runs[0].curve != first.runs[0].curve
    assert sorted(runs.read(one).data_digest for one in runs.ids()) == sorted([first.data_digest, second.data_digest])


def test_a_seed_whose_weights_are_no_longer_there_is_not_shipped(here, monkeypatch):
    chosen = small.recipe()
    before = seeds.train(chosen, [0, 1], device="cpu", threads=1, report=small.silent)
    other = 1 - before.seed
    monkeypatch.setattr(
        seeds, "_shipped", lambda recipe, found, higher: next(one for one in found if one.seed == other)
    )
    with pytest.raises(
        RunError, match=rf"{other} is now the best on validation data.*Train it again, too: --seeds 0-1"
    ):
        seeds.train(chosen, [before.seed], device="cpu", threads=1, report=small.silent)
    assert attnviz.load(chosen.key).card.seed == before.seed
    assert seeds.train(chosen, [0, 1], device="cpu", threads=1, report=small.silent).seed == other
