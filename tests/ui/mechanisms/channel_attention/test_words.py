"""What the page says of gates, compared with what the network does."""

import torch

from attnviz.edits import off
from attnviz.subjects import Picture, net
from attnviz.tracing import trace
from attnviz.ui.mechanisms.channel_attention import gates, words
from attnviz.ui.shared import inference


def test_a_gate_at_0_silences_the_channels_that_begin_in_their_block_and_no_others() -> None:
    loaded, picture = net("channel_attention.digits").load(double=True), Picture("strokes", 23)
    layers = gates.view(loaded, picture).layers
    images = inference.batch_of(loaded, picture)
    silent, begin = 0, 0
    for before, layer in zip((None, *layers), layers, strict=False):
        block = layer.path.rpartition(".")[0]
        with torch.no_grad(), trace(loaded.model, [f"{block}.output"], {layer.tap.address: [off()]}) as seen:
            loaded.model(images)
        closed = seen[f"{block}.output"].tensor[0].flatten(1).abs().amax(1) == 0
        new = 0 if before is None else len(layer.kinds) - len(before.kinds)
        assert bool(closed[len(closed) - new :].all()), layer.title
        silent += int(closed.sum()) if new else 0
        begin += new
    assert begin == 48
    sentence = words.at_zero([(layer.title, len(layer.kinds)) for layer in layers])
    assert "silences only the 48 channels that begin in block 3 and block 5" in sentence
    assert silent >= begin


def test_nothing_is_excepted_where_no_block_is_wider_than_the_one_before() -> None:
    assert words.at_zero([("Block 1", 16), ("Block 2", 16)]) == (
        "A gate at 0 silences no channel: all keep what the skip connection adds."
    )
