"""A subject, a net on an example, attnviz/subjects/subject.py."""

from attnviz import subjects
from attnviz.subjects import Picture, Subject

NAME = "pixel_attention.1v8"


def test_a_subject_says_where_its_views_come_from_and_how_to_ask_about_it() -> None:
    subject = Subject(subjects.net(NAME), Picture("strokes", 23))
    origin = subject.origin("attention.weights")
    assert (origin["model"], origin["recipe"], origin["seed"]) == ("pixel_attention", "1v8", subject.net.seed)
    assert (origin["image"], origin["address"]) == ("strokes/test/23", "attention.weights")
    assert "address" not in subject.origin()
    assert subject.asked == {"checkpoint": NAME, "picture": {"data": "strokes", "number": 23}}
    assert subject.image.shape == (28, 28, 1)
