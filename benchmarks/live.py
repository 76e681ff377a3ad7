"""What does the live channel cost? A head is switched off: request to answer, against the bare fused forward pass.

python -m benchmarks.live                                  # 24 heads x 784 tokens, of random weights
python -m benchmarks.live pixel_attention.1v8-augmented    # a trained model of pixel attention

In turn, so that a slower machine slows all: the forward pass alone, without a tap; what the server computes, without a
socket; and the whole way over a real socket to the real app, which runs in a process of its own.
"""

import argparse
import os
import tempfile
from contextlib import ExitStack
from itertools import count
from urllib.parse import urlsplit

import torch
from websockets.sync.client import connect

from attnviz import checkpoints, data
from attnviz.answers import as_batch
from attnviz.models.pixel_attention import PixelAttention
from attnviz.ui.derived_values import find
from attnviz.ui.live.answer import plan
from attnviz.ui.live.request import read
from attnviz.views.payload import pack, unpack
from benchmarks.clock import amount, in_turn, table
from benchmarks.heads import fused
from tests.browser.harness import run_app

TRAINED, HEADS, ROUNDS = "pixel_attention.1v8", 24, amount(60, 1)
PICTURE = {"pictures": [{"data": "strokes", "number": 3}]}


def random_checkpoint(folder: str) -> str:
    """Write a checkpoint of 24 heads with random weights, and make its folder the one that is looked into."""
    card = checkpoints.load(TRAINED).card
    config = {**card.recipe.config, "heads": HEADS}
    model = PixelAttention(classes=card.classes, **config, generator=torch.Generator().manual_seed(0))
    state = model.state_dict()
    os.environ["ATTNVIZ_CHECKPOINTS"] = folder
    recipe = card.recipe.model_copy(update={"config": config})
    changed = {"recipe": recipe, "config": {"classes": [*card.classes], **config}}
    digest = checkpoints.digest(checkpoints.encode(state))
    checkpoints.save(state, card.model_copy(update={**changed, "weights_digest": digest}))
    return TRAINED


def main() -> None:
    reader = argparse.ArgumentParser(description="How long the live channel takes to switch a head off.")
    reader.add_argument("checkpoint", nargs="?", help="of pixel attention; by default 24 heads of random weights")
    named = reader.parse_args().checkpoint
    with ExitStack() as stack:
        name = named or random_checkpoint(stack.enter_context(tempfile.TemporaryDirectory()))
        model = checkpoints.load(name).model
        assert isinstance(model, PixelAttention), f"{name} is no pixel attention"
        app = stack.enter_context(run_app(env=dict(os.environ)))
        host = urlsplit(app.address).netloc
        socket = stack.enter_context(connect(f"ws://{host}/live", origin=app.address, compression=None, max_size=None))
        tokens = model.standardise(as_batch(data.load("strokes", "test", count=256).images[3:4])).flatten(1)[..., None]
        numbers = count()

        def request() -> bytes:
            number = next(numbers)
            off = {"edit": "off", "address": "attention.mixed", "index": {"head": number % model.attention.heads}}
            return pack({"number": number, **PICTURE, "asks": [{"checkpoint": name, "edits": [off]}]}, {})

        def bare() -> None:
            with torch.no_grad():
                fused(model, tokens)

        def channel() -> None:
            socket.send(request())
            header, _ = unpack(socket.recv())
            assert "error" not in header, header["error"]

        things = {
            "bare fused forward": bare,
            "answer, no socket": lambda: [*plan(read(request(), find))[0].answers()],
            "request to answer": channel,
        }
        seconds = in_turn(things, ROUNDS)
        print(f"{name}, {model.attention.heads} heads x {tokens.shape[1]} tokens, {torch.get_num_threads()} threads\n")
        print(table(seconds, "bare fused forward"))


if __name__ == "__main__":
    main()
