"""What an editor completes: jedi reads the code, as most editors and notebooks do, and runs none of it."""

import jedi
import pytest

BEGINNING = """
import attnviz

checkpoint = attnviz.load("pixel_attention.1v8")
with attnviz.trace(checkpoint.model) as seen:
    pass
"""


@pytest.mark.parametrize(
    ("what", "some"),
    [
        ("checkpoint.card", {"figures", "parameters", "recipe"}),
        ('seen["attention.weights"]', {"at", "axes", "grid", "tensor"}),
        ("attnviz.watch(checkpoint.model)(0)", {"report", "captured"}),
        ("attnviz.figure(seen)", {"draw", "save", "words"}),
    ],
)
def test_a_public_object_is_completed(what: str, some: set[str]) -> None:
    script = jedi.Script(f"{BEGINNING}{what}.")
    assert some <= {one.name for one in script.complete()}
