"""Which nets take the whole picture as one token."""

from dataclasses import replace

from attnviz import subjects
from attnviz.grids import Grid
from attnviz.subjects import usable
from attnviz.ui.mechanisms.pixel_attention.selection import single_token


def test_only_the_checkpoint_that_is_called_so_has_a_single_token() -> None:
    nets = usable().values()
    assert [net.key for net in nets if single_token(net)] == ["pixel_attention.1v8-one-token"]


def test_one_token_wherever_the_grid_has_one_box_and_nothing_else() -> None:
    net = subjects.net("pixel_attention.1v8")
    assert single_token(replace(net, grid=Grid(1, 1, stride=40, field=40)))
    assert not single_token(replace(net, grid=Grid(2, 2, stride=20, field=20)))
    assert not single_token(replace(net, grid=None))  # it has no tokens at all
