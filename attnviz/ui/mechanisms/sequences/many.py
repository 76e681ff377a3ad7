"""Measurements over many strips for the experiments, made a few strips at a time and then joined. Loads torch.

Each measurement has a function for some of the strips, and one that joins several such parts.
"""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from attnviz.answers import as_batch
from attnviz.arrays import Floats
from attnviz.data.digit_strips import STOP, STRIPS, strip
from attnviz.layers.columns import PITCH
from attnviz.measures.agreement import random_map
from attnviz.measures.difference import Paired, paired
from attnviz.measures.sequences import attribution, steering
from attnviz.subjects import Loaded
from attnviz.tracing import trace
from attnviz.ui.mechanisms.sequences.measured import LATE, Agreed, AgreedPart, Of, OrderPart, Steered, SteeredPart
from attnviz.ui.mechanisms.sequences.reading import columns_tap, looking, reads


def batch(loaded: Loaded, of: Of) -> tuple[Tensor, Tensor]:
    """Return test strips, float (strip, 1, 28, column), and their targets, int64 (strip, step)."""
    how = STRIPS[loaded.net.data or ""]
    found = [strip(of.source, of.length, number) for number in of.numbers]
    digits = np.array([[int(digit) for digit in text] for _, text in found])
    return as_batch(np.stack([picture for picture, _ in found])), torch.from_numpy(how.targets(digits))


def steer(loaded: Loaded, of: Of) -> SteeredPart:
    """Return a net's outputs when its weights are swapped, permuted, uniform or only their peak.

    The strips have at least two digits. Every step receives the right symbols before it. All heads and layers that
    attend to the strip are changed in the same way. The net is in single precision, which is twice as fast.
    """
    model, length = loaded.model, of.length
    paths = [f"{one.path}.weights" for one in looking(model) if (one.queries, one.keys) == ("steps", "columns")]
    images, texts = batch(loaded, of)
    with torch.no_grad(), trace(model, paths) as seen:
        logits = model(images, targets=texts)
    own = {path: steering.rows(seen[path]) for path in paths}
    order = [*range(1, length), 0, length]  # each step gets the weights of the next one; the end keeps its own

    def with_weights(change: Callable[[Tensor], Tensor]) -> Tensor:
        edits = steering.edits_of(seen, {path: change(one) for path, one in own.items()})
        with torch.no_grad(), trace(model, [], edits):
            answered: Tensor = model(images, targets=texts)
        return answered

    def permuted(weights: Tensor) -> Tensor:
        return steering.permuted(weights, torch.Generator().manual_seed(0))

    answers = {
        "own": logits,
        "peak": with_weights(steering.only_peak),
        "uniform": with_weights(steering.even),
        "permuted": with_weights(permuted),
        "swapped": with_weights(lambda weights: steering.swapped(weights, order)),
    }
    said = {name: one[:, :length].softmax(-1) for name, one in answers.items()}
    return SteeredPart(
        {name: (one.argmax(-1) == texts[:, :length]).double().mean(1).numpy() for name, one in said.items()},
        {name: steering.total_variation(one, said["own"]).double().mean(1).numpy() for name, one in said.items()},
        _singly(loaded, of, images, texts, paths),
    )


def steered(parts: Sequence[SteeredPart]) -> Steered:
    """Return the results of a net with replaced weights, over the strips of all parts."""
    singly = {name: np.concatenate([part.singly[name] for part in parts]) for name in parts[0].singly}
    counted, ended = int(singly["counted"].sum()), int(singly["ends"].sum())
    follows, stays, ends = (
        singly[name].sum() / counted if counted else np.nan for name in ("follows", "stays", "ends")
    )
    late = singly["ends"][:, -LATE:].sum() / ended if ended else np.nan
    right = {name: np.concatenate([part.right[name] for part in parts]) for name in parts[0].right}
    apart = {name: float(np.concatenate([part.apart[name] for part in parts]).mean()) for name in parts[0].apart}
    digits = {name: float(values.mean()) for name, values in right.items()}
    return Steered(digits, apart, follows, stays, ends, late, len(right["own"]))


def _singly(
    loaded: Loaded, of: Of, images: Tensor, texts: Tensor, paths: Sequence[str]
) -> dict[str, npt.NDArray[np.bool_]]:
    length = of.length
    drawn = [np.random.default_rng((number, length)).integers(1, length, size=length) for number in of.numbers]
    others = (torch.arange(length) + torch.from_numpy(np.array(drawn))) % length
    said = steering.one_at_a_time(loaded.model, images, texts, paths, others)
    own, theirs = texts[:, :length], texts.gather(1, others)
    counted = own != theirs
    found = {
        "counted": counted, "follows": counted & (said == theirs), "stays": counted & (said == own),
        "ends": counted & (said == texts[:, -1:]),
    }  # fmt: skip
    return {name: one.numpy() for name, one in found.items()}


def agree(loaded: Loaded, of: Of) -> AgreedPart:
    """Return how far weights, gradient and two erasures agree on which digits count, for strips of at least three."""
    model, net = loaded.model, loaded.net
    looks = [one for one in looking(model) if (one.queries, one.keys) == ("steps", "columns")]
    images, texts = batch(loaded, of)
    scores = [f"{one.path}.{_scores_of(model, one.path)}" for one in looks]
    found = attribution.by_method(model, images, texts, weights=[f"{one.path}.weights" for one in looks], scores=scores)
    originals = [strip(of.source, of.length, number)[1] for number in of.numbers]
    places = torch.tensor([reads(net, text) for text in originals])  # (strip, step): the digit that is predicted
    drawn = torch.from_numpy(random_map(tuple(found["weights"].shape), seed=of.first))
    (chance,) = attribution.agreements({"weights": found["weights"], "chance": drawn}).values()
    hits = {name: (values.argmax(-1) == places).numpy() for name, values in found.items()}
    return AgreedPart(attribution.agreements(found), hits, chance)


def agreed(parts: Sequence[AgreedPart]) -> Agreed:
    """Return how far several methods agree, over the strips of all parts."""
    pairs = {pair: np.concatenate([part.pairs[pair] for part in parts]) for pair in parts[0].pairs}
    chance = np.concatenate([part.chance for part in parts])
    return Agreed(
        {pair: float(np.nanmean(values)) for pair, values in pairs.items()},
        {pair: float(np.nanstd(values)) for pair, values in pairs.items()},
        {name: float(np.concatenate([part.hits[name] for part in parts]).mean()) for name in parts[0].hits},
        float(np.nanstd(chance)),
        len(chance),
        _over_strips(pairs["weights", "pixels"], pairs["gradient", "pixels"]),
    )


def _over_strips(one: Floats, other: Floats) -> Paired | None:
    """Compare two correlations, (strip, step), by strip, because the steps of a strip are not independent."""
    both = np.isfinite(one) & np.isfinite(other)
    ranked = both.any(1)
    if ranked.sum() < 2:
        return None
    means = [np.where(both, taus, 0)[ranked].sum(1) / both[ranked].sum(1) for taus in (one, other)]
    return paired(means[0], means[1])


def _scores_of(model: nn.Module, path: str) -> str:
    """Return the name of the tap whose softmax gives a layer's weights."""
    return "energies" if "energies" in getattr(model.get_submodule(path), "taps", ()) else "scores"


def order(loaded: Loaded, of: Of) -> OrderPart:
    """Return the shares of a net's own digits in the right place and in any place, and the largest change of a logit
    when the columns of features are permuted.
    """
    model = loaded.model
    images, texts = batch(loaded, of)
    with torch.no_grad():
        logits = model(images)
    right, somewhere = [], []
    for answer, text in zip(logits.argmax(-1).tolist(), texts[:, :-1].tolist(), strict=True):
        kept = answer[: answer.index(STOP)] if STOP in answer else answer
        right.append(sum(one == other for one, other in zip(kept, text, strict=False)) / of.length)
        somewhere.append(sum(min(kept.count(digit), text.count(digit)) for digit in set(text)) / of.length)
    tap = columns_tap(model)
    permutation = torch.from_numpy(np.random.default_rng(0).permutation(-(-images.shape[-1] // PITCH)))
    with torch.no_grad():
        before = model(images, targets=texts)
        with trace(model, [], {tap: lambda columns: columns[:, permutation]}):
            after = model(images, targets=texts)
    return OrderPart(np.array(right), np.array(somewhere), float((after - before).abs().max()))


def ordered(parts: Sequence[OrderPart]) -> tuple[float, float, float]:
    """Return the shares of digits in the right place and in any place, and the largest change of a logit."""
    right, somewhere = (np.concatenate([getattr(part, name) for part in parts]) for name in ("right", "somewhere"))
    return float(right.mean()), float(somewhere.mean()), max(part.change for part in parts)
