"""A curve of erasures in parts, and one picture in several ways, attnviz/measures/erasure.py."""

import numpy as np
import pytest
import torch

from attnviz.errors import BadInput
from attnviz.measures.erasure import changes_of, curve, joined, look
from attnviz.measures.token_boxes import erased
from tests.measures.test_erasure import marks, model_of, pictures_of, seeded


def test_parts_join_to_one_curve_over_all_pictures() -> None:
    model, images = model_of(), pictures_of(5)
    parts = [curve(model, some, [1, 4], generator=seeded(), draws=3) for some in (images[:2], images[2:])]
    whole = joined(parts)
    assert whole.random.shape == (5, 2, 3)
    assert whole.counts.tolist() == [1, 4]
    np.testing.assert_array_equal(whole.attended[2:], parts[1].attended)
    np.testing.assert_array_equal(whole.answers, [look(model, image).answer for image in images])
    np.testing.assert_allclose(
        whole.line("attended").mean, (2 * parts[0].line("attended").mean + 3 * parts[1].line("attended").mean) / 5
    )


def test_what_does_not_belong_together_is_not_joined() -> None:
    with pytest.raises(BadInput, match="the same numbers of tokens"):
        joined([curve(model_of(), pictures_of(1), [count], generator=seeded()) for count in (1, 2)])
    with pytest.raises(BadInput, match="and there must be at least one"):
        joined([])


def test_one_part_may_have_no_picture_that_changes() -> None:
    black = torch.zeros(1, 1, 4, 6).double()
    found = curve(model_of(), black, [3], generator=seeded(), fill="background", must_change=False)
    assert np.abs(found.attended).max() < 1e-12


def test_several_ways_for_one_picture_are_each_as_if_alone() -> None:
    model, image = model_of(), pictures_of(1)[0]
    seen, removed = look(model, image), torch.stack([marks(24, 1, 7), marks(24), marks(24, 20)])
    pictures, changes = changes_of(model, image, seen, removed)
    assert torch.equal(pictures, erased(image.expand(3, -1, -1, -1), removed, seen.grid))
    with torch.no_grad():
        alone = [float(model(picture[None])) * (1 if seen.answer else -1) - seen.logit for picture in pictures]
    np.testing.assert_allclose(changes, alone, atol=1e-12)
    assert abs(changes[0]) > 1e-3 > abs(changes[1])
