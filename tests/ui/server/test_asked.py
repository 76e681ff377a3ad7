"""How much each visitor has asked for lately."""

import pytest

from attnviz.ui.server.asked import CLASS, MOST, REFUSED, SECONDS, Asked


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def asked(clock: Clock) -> Asked:
    """Return what a visitor elsewhere has asked once."""
    found = Asked(clock)
    found.note(("10.0.0.9", "other"))
    return found


def test_a_class_that_reloads_several_tabs_waits_for_nothing_and_comes_before_a_flood(
    clock: Clock, asked: Asked
) -> None:
    pupils = [("10.0.0.1", f"pupil {number}") for number in range(CLASS)]
    floods = [("10.0.0.2", f"made up {number}") for number in range(32)]
    for second in range(30):
        clock.now += 1.0
        for pupil in pupils:  # three tabs that reload in turn: a socket, the page, and what its component reports
            for _ in range(3 if second % 3 == 0 else 0):
                assert asked.wait(pupil) == 0
                asked.note(pupil)
        for flood in floods:
            for _ in range(32):
                if not asked.wait(flood):
                    asked.note(flood)
        assert not any(asked.is_busy(pupil) for pupil in pupils)
        assert max(map(asked.lately, pupils)) < min(map(asked.lately, floods))
    assert all(asked.is_busy(flood) for flood in floods)


def test_who_sends_ever_more_is_handed_on_a_few_times_a_second(clock: Clock, asked: Asked) -> None:
    flood, handed = ("10.0.0.2", "flood"), 0
    for _ in range(6000):
        clock.now += 0.01
        asked._visitors["10.0.0.9", "other"] = 1.0, clock.now
        if not asked.wait(flood):
            asked.note(flood)
            handed += 1
    assert MOST < handed < MOST + 1.1 * 60 * MOST / SECONDS
    clock.now += asked.wait(flood)
    assert asked.wait(flood) == 0, "it says for how long"


def test_those_that_have_loaded_no_page_count_as_one_at_their_address(asked: Asked) -> None:
    unseen, pupil = ("10.0.0.1", ""), ("10.0.0.1", "a pupil")
    asked.note(pupil)
    for _ in range(int(MOST) * 10):
        asked.note(unseen)
    assert asked.lately(unseen) > asked.lately(pupil)
    assert not asked.is_busy(unseen), "it may be a class whose server was started again"
    assert asked.wait(unseen) == 0
    for _ in range(int(MOST) * CLASS):
        asked.note(unseen)
    assert asked.is_too_much(unseen) and asked.wait(unseen) > 0
    assert asked.is_busy(pupil), "of an address that asks for more than a class"
    assert not asked.is_too_much(pupil)


def test_a_lecture_behind_one_address_is_not_slowed_down_while_no_other_asks(clock: Clock) -> None:
    asked = Asked(clock)
    pupils = [("10.0.0.1", f"pupil {number}") for number in range(300)]
    for _ in range(10):
        for pupil in pupils:
            asked.note(pupil)
    assert not any(map(asked.is_busy, pupils))
    asked.note(("10.0.0.2", "another"))
    assert all(map(asked.is_busy, pupils)), "one at a time then"
    assert not any(map(asked.is_too_much, pupils)), "but without a rest"


def test_nobody_is_slowed_down_who_is_alone(clock: Clock, asked: Asked) -> None:
    one = ("10.0.0.1", "one")
    for _ in range(1000):
        asked.note(one)
    assert asked.is_busy(one)
    assert asked.wait(one) > 0
    clock.now += SECONDS + 1
    for _ in range(1000):
        asked.note(one)
    assert not asked.is_busy(one)
    assert asked.wait(one) == 0


def test_an_address_that_goes_on_trying_is_closed_until_it_stops(clock: Clock, asked: Asked) -> None:
    for _ in range(int(REFUSED) + 5):
        asked.note_refused("10.0.0.1")
    assert asked.is_closed_to("10.0.0.1")
    assert not asked.is_closed_to("10.0.0.2")
    for second in range(60):  # in which it goes on trying
        for _ in range(800):
            assert asked.is_closed_to("10.0.0.1"), second
            asked.note_refused("10.0.0.1")
        clock.now += 1.0
    assert asked.is_closed_to("10.0.0.1")
    clock.now += 2.0
    assert not asked.is_closed_to("10.0.0.1")


def test_few_are_remembered(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("attnviz.ui.server.asked._KEPT", 10)
    for number in range(50):
        asked.note((f"10.0.1.{number}", "browser"))
    assert (len(asked._visitors), len(asked._addresses)) == (10, 10)
