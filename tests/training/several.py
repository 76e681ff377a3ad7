"""A checkpoint of several heads that trains in seconds, for the tests of whatever shows heads."""

from functools import lru_cache
from pathlib import Path

from attnviz.card import Card
from attnviz.training import seeds

from .small import lay, place, recipe

NAME, HEADS, SIZE = "pixel_attention.small", 4, 2


@lru_cache
def checkpoint() -> tuple[Card, bytes, bytes]:
    """Train four heads of two components: the card, and the bytes of card.json and weights.safetensors."""
    import tempfile

    config = {"heads": HEADS, "head_size": SIZE, "query_key_std": 1.5, "mean": 0.13, "std": 0.31}
    chosen = recipe(config=config, epochs=2, patience=2)
    with tempfile.TemporaryDirectory() as folder, place(Path(folder), chosen):
        card = seeds.train(chosen, [0], device="cpu", threads=1, report=lambda seed, event: None)
        home = Path(folder) / "checkpoints" / card.name
        return card, (home / "card.json").read_bytes(), (home / "weights.safetensors").read_bytes()


def lay_several(folder: Path) -> Card:
    """Put that checkpoint into a folder of checkpoints, and return its card."""
    card, content, weights = checkpoint()
    lay(folder, content, weights, NAME)
    return card
