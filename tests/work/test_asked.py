"""What is asked for, attnviz/work/folders.py: a name for the same request, and one sentence for nonsense."""

import pytest

from attnviz.errors import BadInput
from attnviz.work.jobs.order import Order

FIELDS = {"model": "pixel_attention", "recipe": "1v8"}


def test_the_name_is_that_of_the_request_whatever_its_limits() -> None:
    order = Order.read(FIELDS)
    assert order.id == Order.read({**FIELDS, "threads": 2, "minutes": 3.0}).id
    assert order.id.startswith("pixel_attention.1v8.")
    assert order.id != Order.read({**FIELDS, "changes": {"epochs": "3"}}).id
    assert order.id != Order.read({**FIELDS, "seeds": (1,)}).id


def test_a_field_that_makes_no_sense_is_named() -> None:
    with pytest.raises(BadInput, match=r"^The training cannot be started: threads: .*greater than 0\.$"):
        Order.read({**FIELDS, "threads": 0})
