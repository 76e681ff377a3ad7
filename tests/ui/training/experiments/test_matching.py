"""Heads of two trainings matched by their maps: attnviz/ui/training/experiments/matching.py."""

import numpy as np
import pytest
import torch

from attnviz import subjects
from attnviz.answers import as_batch
from attnviz.measures.heads import sampled
from attnviz.ui.training.experiments import matching
from attnviz.ui.training.experiments.unseen import unseen


@pytest.fixture
def nets(files):
    return [subjects.net(f"run:{info.id}@2") for info in files]


def spelled_out(net, pictures):
    """Return the weights of some queries, (picture, head, query times key): heads of one number each."""
    state = net.load(double=True).model.attention.state_dict()
    tokens = (as_batch(pictures, double=True).flatten(1)[:, :, None] - net.config["mean"]) / net.config["std"]
    query, key = (tokens @ state[f"{part}.weight"].T + state[f"{part}.bias"] for part in ("query", "key"))
    query = query[:, sampled(query.shape[1])]
    scores = torch.einsum("pqh,pkh->phqk", query, key)
    return scores.softmax(-1).flatten(2).numpy()


def test_heads_are_compared_by_the_correlation_of_their_weights(nets):
    pictures = unseen(nets[0], 2).pictures
    found = matching.common(*nets)
    loaded = [net.load() for net in nets]
    part = matching.compare(loaded, [], found, pictures, 0)
    assert set(part.alike) == {"trained", "shuffled"}
    one, other = (spelled_out(net, pictures) for net in nets)
    for picture in range(2):
        whole = np.corrcoef(np.vstack([one[picture], other[picture]]))[:2, 2:]
        np.testing.assert_allclose(part.alike["trained"][0][picture], whole, atol=1e-4)
    assert np.abs(part.alike["shuffled"][0]).max() < 0.05
    (maps,) = part.maps
    tokens = sampled(784).shape[0]
    np.testing.assert_allclose(maps[0][1].reshape(-1), one[0, 1].reshape(tokens, 784).mean(0), atol=1e-7)


def test_a_net_beside_itself_finds_every_head_again(nets):
    pictures = unseen(nets[0], 8)
    found, loaded = matching.common(nets[0], nets[0]), nets[0].load()
    parts = [
        matching.compare([loaded] * 2, [], found, pictures.pictures[start : start + 2], start) for start in (0, 2, 4, 6)
    ]
    matched = matching.matched(parts)
    assert matched
    assert [(pair.one, pair.other) for pair in matched.pairs["trained"]] == [(0, 0), (1, 1)]
    np.testing.assert_allclose(matched.mean("trained"), 1)
    assert (matched.by, len(matched.unmatched)) == (4, 4)


def part(alike):
    return matching.Part({kind: (np.array(values)[None],) for kind, values in alike.items()})


def test_pictures_that_decide_the_match_are_not_those_that_are_measured():
    crossed, straight = [[0.0, 1.0], [1.0, 0.0]], [[0.8, 0.1], [0.1, 0.6]]
    parts = [part({"trained": crossed}), part({"trained": straight}), part({"trained": crossed})]
    found = matching.matched(parts)
    assert found
    assert [(pair.one, pair.other) for pair in found.pairs["trained"]] == [(0, 1), (1, 0)]
    np.testing.assert_allclose(found.mean("trained"), [0.1])
    np.testing.assert_allclose(found.unmatched, [0.4])
    assert matching.matched(parts[:1]) is None
