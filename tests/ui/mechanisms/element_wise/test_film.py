"""The recorded networks, one of which dies."""

from attnviz.ui.mechanisms.element_wise import film


def test_the_courses_of_nets_that_die_are_shipped() -> None:
    found = film.courses()
    assert found
    dead, alive = found["courses"]
    assert (dead["dead"], alive["dead"]) == (True, False)
    assert min(layer["above"] for layer in dead["steps"][-1]) == 0
    assert len(dead["steps"]) > max(film.STEPS)
