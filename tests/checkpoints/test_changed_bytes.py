"""Whatever happens to a byte of a checkpoint, there is one sentence, or the model is the same."""

import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.torch import load as load_tensors

import attnviz
from attnviz.errors import AttnvizError
from attnviz.training.objectives import answers
from tests.training import small

from .refused import NAME, example_of, one_sentence


def _mutated(content: bytes, place: float, byte: int, how: str) -> bytes:
    at = int(place * (len(content) - 1))
    if how == "replace":
        return content[:at] + bytes([byte]) + content[at + 1 :]
    if how == "insert":
        return content[:at] + bytes([byte]) + content[at:]
    return content[:at] + content[at + 1 + byte :]


MUTATIONS = given(
    place=st.floats(0, 1), byte=st.integers(0, 255), how=st.sampled_from(["replace", "replace", "insert", "remove"])
)
FIXTURES = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def _says_so_or_is_the_same() -> None:
    card, _, weights = small.checkpoint()
    examples = example_of(card)[:2]
    try:
        model, _ = attnviz.load(NAME)
    except AttnvizError as error:
        assert str(error)
        return
    for name, tensor in load_tensors(weights).items():
        assert torch.equal(model.state_dict()[name], tensor)
    torch.testing.assert_close(answers(model, examples), torch.tensor(card.example.logits[:2]), rtol=0, atol=1e-4)


@MUTATIONS
@FIXTURES
def test_weights_with_changed_bytes_are_refused(home, place, byte, how):
    original = small.checkpoint()[2]
    changed = _mutated(original, place, byte, how)
    (home / "weights.safetensors").write_bytes(changed)
    if changed == original:
        attnviz.load(NAME)
    else:
        one_sentence()


@given(place=st.integers(0, 700), byte=st.integers(0, 255))
@FIXTURES
def test_weights_with_a_changed_header_are_refused(home, place, byte):
    original = small.checkpoint()[2]
    changed = original[:place] + bytes([byte]) + original[place + 1 :]
    (home / "weights.safetensors").write_bytes(changed)
    if changed != original:
        one_sentence()


@MUTATIONS
@FIXTURES
def test_a_card_with_changed_bytes_is_refused_or_is_of_the_same_model(home, place, byte, how):
    (home / "card.json").write_bytes(_mutated(small.checkpoint()[1], place, byte, how))
    _says_so_or_is_the_same()


@given(place=st.integers(0, 1100), digit=st.sampled_from(b"0123456789-.e\"',: []{}"))
@FIXTURES
def test_a_recipe_or_config_with_a_changed_sign_is_refused_or_is_of_the_same_model(home, place, digit):
    original = small.checkpoint()[1]
    (home / "card.json").write_bytes(original[:place] + bytes([digit]) + original[place + 1 :])
    _says_so_or_is_the_same()
