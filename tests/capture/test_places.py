"""Where tokens of captured calls lie: models that put them somewhere that is known by construction."""

import os
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

import attnviz
from attnviz.capture import places_kept
from attnviz.capture.places import Places, _blurred, _likely, raster
from attnviz.errors import BadInput, TraceError
from attnviz.grids import Grid
from tests.capture.builders import needed, of_torchvision, pictures, timm
from tests.capture.oracle import peaked

Order = Callable[[Tensor], Tensor]


@pytest.fixture(autouse=True)
def own_folder(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep places in a folder of this test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


class Patches(nn.Module):
    """Patches of 4 pixels, put in an order, after a number of tokens that lie nowhere, through two attentions."""

    def __init__(self, order: Order | None = None, prefix: int = 0) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.embed, self.order = nn.Conv2d(3, 8, 4, 4), order
        self.prefix = nn.Parameter(torch.randn(1, prefix, 8))
        self.first, self.second = (nn.MultiheadAttention(8, 2, batch_first=True) for _ in range(2))
        self.pooled = nn.Parameter(torch.randn(1, 1, 8))

    def forward(self, images: Tensor) -> Tensor:
        tokens = self.embed(images).flatten(2).mT
        if self.order is not None:
            tokens = self.order(tokens)
        tokens = torch.cat([self.prefix.expand(len(images), -1, -1), tokens], 1)
        tokens = tokens + self.first(tokens, tokens, tokens, need_weights=False)[0]
        return self.second(self.pooled.expand(len(images), -1, -1), tokens, tokens, need_weights=False)[0]


class Windows(nn.Module):
    """Patches of 4 pixels of an 8 x 8 grid, shifted by a cell, in windows of 4 x 4; keys of every second row."""

    def __init__(self, shift: int) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.embed, self.num_heads, self.shift = nn.Conv2d(3, 8, 4, 4), 2, shift

    def forward(self, images: Tensor) -> Tensor:
        maps = self.embed(images).roll((-self.shift, -self.shift), (2, 3))
        batch = len(maps)
        split = maps.reshape(batch, 2, 4, 2, 4, 2, 4).permute(0, 3, 5, 1, 4, 6, 2).reshape(batch * 4, 2, 16, 4)
        return F.scaled_dot_product_attention(split, split, split)


def columns_first(tokens: Tensor) -> Tensor:
    """Put the tokens of a grid of 6 rows and 10 columns in the order of columns."""
    return tokens.unflatten(1, (6, 10)).transpose(1, 2).flatten(1, 2)


def shuffled(tokens: Tensor) -> Tensor:
    """Put tokens in an order that is the same each time."""
    return tokens[:, torch.randperm(tokens.shape[1], generator=torch.Generator().manual_seed(3))]


@pytest.mark.parametrize("prefix", [0, 1, 5])
@pytest.mark.parametrize("size", [(32, 32), (24, 40)])
def test_a_raster_is_found_with_tokens_that_lie_nowhere(prefix: int, size: tuple[int, int]) -> None:
    seen = attnviz.watch(Patches(prefix=prefix).eval())(pictures(*size))
    grid = seen["first.weights"].grid
    assert grid is not None
    assert (grid.rows, grid.columns, grid.prefix, grid.stride) == (size[0] // 4, size[1] // 4, prefix, 4)
    token = prefix + 3 * grid.columns + 2
    weights = seen["first.weights"]
    assert torch.equal(weights.at(head=1, query=(3, 2)), weights.at(head=1, query=token))
    assert torch.equal(weights.at(key=(0, 0)), weights.at(key=prefix))
    with pytest.raises(BadInput, match="is not on this grid"):
        weights.at(query=(99, 0))


def test_a_query_that_is_learnt_lies_nowhere_and_its_keys_do() -> None:
    reading = attnviz.watch(Patches(prefix=1).eval())(pictures(24, 40))["second.weights"]
    assert reading.grid is not None and (reading.grid.rows, reading.grid.columns) == (6, 10)
    assert reading.at(key=(2, 3)).shape == (1, 2, 1)
    with pytest.raises(TraceError, match="query must be a number"):
        reading.at(query=(2, 3))


@pytest.mark.parametrize("order", [columns_first, shuffled])
def test_another_order_is_found_too(order: Order) -> None:
    model = Patches(order, prefix=1).eval()
    reading = attnviz.watch(model)(pictures(24, 40))["first.weights"]
    numbers = order(torch.arange(60.0).view(1, 60, 1)).flatten()
    for row, column in ((0, 0), (2, 7), (5, 9)):
        token = 1 + int((numbers == row * 10 + column).nonzero())
        assert torch.equal(reading.at(query=(row, column)), reading.at(query=token))


def test_an_order_that_is_drawn_anew_in_each_pass_is_no_order() -> None:
    model = Patches(lambda tokens: tokens[:, torch.randperm(tokens.shape[1])]).eval()
    passes: list[object] = []
    model.embed.register_forward_hook(lambda *of: passes.append(of))
    seen = attnviz.watch(model)(pictures(32, 32))
    assert seen["first.weights"].grid is None
    assert len(passes) == 1 + 3  # no stripes are tried
    with pytest.raises(TraceError, match="must be a number"):
        seen["first.weights"].at(query=(1, 1))


@pytest.mark.parametrize("shift", [0, 2])
def test_windows_and_their_shift_are_found(shift: int) -> None:
    reading = attnviz.watch(Windows(shift).eval())(pictures(32, 32))["weights"]
    assert reading.axes == ("batch", "window", "head", "query", "key")
    row, column = 1, 6
    shifted = (row - shift) % 8, (column - shift) % 8
    window, token = shifted[0] // 4 * 2 + shifted[1] // 4, shifted[0] % 4 * 4 + shifted[1] % 4
    assert torch.equal(reading.at(query=(row, column)), reading.at(window=window, query=token))


def test_places_are_found_once_and_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    model, images = Patches(prefix=1).eval(), pictures(24, 40)
    passes: list[object] = []
    model.embed.register_forward_hook(lambda *of: passes.append(of))
    first = attnviz.watch(model)(images)["first.weights"].grid
    assert len(passes) == 1 + 2  # a plain raster takes two
    assert len(list(places_kept.folder().glob("*.json"))) == 1
    monkeypatch.setattr("attnviz.capture.seen.places_of", None)
    other = Patches(prefix=1).eval()  # other weights, the same architecture
    with torch.no_grad():
        other.embed.weight.normal_()
    assert attnviz.watch(other)(images)["first.weights"].grid == first


def test_one_call_is_placed_ahead_of_the_others_by_passes_that_end_there(monkeypatch: pytest.MonkeyPatch) -> None:
    model, ran = Patches(prefix=1).eval(), list[str]()
    for name in ("embed", "second"):
        model.get_submodule(name).register_forward_hook(lambda *_, name=name: ran.append(name))
    captured = attnviz.watch(model)(pictures(24, 40)).captured
    assert captured.place("first") and not captured.has_places
    assert ran == ["embed", "second", "embed", "embed"]
    ahead = captured.places("first")
    assert (
        ahead is not None and ahead.query is not None and (ahead.query.grid.columns, ahead.query.grid.prefix) == (10, 1)
    )
    assert len(ran) == 4
    assert captured.places("second") is not None and captured.has_places
    assert captured.places("first") == ahead
    assert not attnviz.watch(Patches(shuffled).eval())(pictures(24, 40)).captured.place("first")
    monkeypatch.setattr("attnviz.capture.seen.place_of", None)
    assert attnviz.watch(model)(pictures(24, 40)).captured.place("second")  # as places are kept


def test_places_that_are_kept_of_one_order_are_not_those_of_another() -> None:
    def turned(by: int) -> Order:
        def order(tokens: Tensor) -> Tensor:
            assert order.__closure__  # a function that holds itself
            return tokens.roll(by, 1)

        return order

    for order in (None, columns_first, shuffled, turned(3), turned(7)):
        both = attnviz.watch(Patches(order).eval())(pictures(24, 40)).captured.places("first")
        numbers = torch.arange(60.0).view(1, 60, 1)
        assert both is not None and both.query is not None
        assert [*both.query.cells[0]] == (order(numbers) if order else numbers).flatten().tolist()
    shifts = [attnviz.watch(Windows(shift).eval())(pictures(32, 32)).captured.places("") for shift in (0, 2)]
    assert shifts[0] != shifts[1]


def test_a_class_without_a_file_is_told_by_its_code() -> None:
    digests = set()
    for sign in ("", "-"):
        scope: dict[str, type[nn.Module]] = {"Base": Patches, "__name__": "no_file"}
        exec(f"class Own(Base):\n def forward(self, images):\n  return {sign}super().forward(images)", scope)
        digests |= {places_kept.digest(scope["Own"](), (), {}) for _ in range(2)}
    assert len(digests) == 2


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"", lambda content: b"[]", lambda content: b"[" * 10_000, lambda content: content[:-1],
        lambda content: content.replace(b'"step": 4', b'"step": 9'), lambda content: content.replace(b" 7,", b" 8,", 1),
    ],
    ids=["empty", "list", "deep", "cut", "another step", "another cell"],
)  # fmt: skip
def test_a_damaged_file_is_found_again(damage: Callable[[bytes], bytes]) -> None:
    model, images = Patches(prefix=1).eval(), pictures(24, 40)
    expected = attnviz.watch(model)(images)["first.weights"].grid
    (file,) = places_kept.folder().glob("*.json")
    before = file.read_bytes()
    file.write_bytes(damage(before))
    assert file.read_bytes() != before
    assert attnviz.watch(model)(images)["first.weights"].grid == expected


def test_the_file_of_another_model_is_not_taken() -> None:
    assert attnviz.watch(Patches(prefix=1).eval())(pictures(24, 40))["first.weights"].grid
    (own,) = places_kept.folder().glob("*.json")
    assert places_kept.load(own.stem)
    own.rename(own.with_name("other.json"))
    assert places_kept.load("other") is None


def test_where_nothing_can_be_written_places_are_found_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull)
    assert attnviz.watch(Patches().eval())(pictures(24, 40))["first.weights"].grid is not None


def test_the_report_says_where_tokens_lie() -> None:
    model = Patches(prefix=2).eval()
    report = attnviz.watch(model)(pictures(24, 40)).report()
    first, second = report.splitlines()[3:5]
    assert first.split()[:9] == ["0", "2", "62", "62", "1", "6", "x", "10", "2"]
    assert "none -> 6 x 10" in second and "cross" in second


def test_a_raster_without_levels_is_found_where_centres_rise_along_it_and_no_other_order_is() -> None:
    order = torch.arange(64)
    row, column = (
        line + 0.3 * torch.rand(64, generator=torch.Generator().manual_seed(0)) for line in (order // 8, order % 8)
    )
    grid, cells = _blurred(row, column, (64, 64)) or ((0, 0), order * 0)
    assert grid == (8, 8) and torch.equal(cells, order)
    for other in (
        order.roll(3),
        order.reshape(8, 8).mT.flatten(),
        order.reshape(8, 8)[:, [1, 0, *range(2, 8)]].flatten(),
    ):
        assert _blurred(row[other], column[other], (64, 64)) is None


def test_places_in_which_some_cells_have_more_tokens_are_taken_for_chance() -> None:
    even, uneven = (Places(Grid(1, 2, prefix=1), ((-1, 0, 1, *more),)) for more in ((1, 0), (1,)))
    assert _likely(even, uneven) == (even, uneven)  # windows that overlap
    assert _likely(uneven, uneven) == (None, None)
    assert _likely(None, uneven) == (None, None)
    assert _likely(None, even) == (None, even)


@pytest.mark.parametrize(
    ("tokens", "size", "expected"),
    [(196, (224, 224), (14, 14)), (60, (24, 40), (6, 10)), (3600, (1280, 720), (80, 45)), (7, (224, 224), None)],
)
def test_the_raster_that_a_number_of_tokens_suggests(
    tokens: int, size: tuple[int, int], expected: tuple[int, int] | None
) -> None:
    assert raster(tokens, *size) == expected


GRIDS = {
    "vit_tiny_patch16_224": ((14, 14), 1), "deit_tiny_distilled_patch16_224": ((14, 14), 2),
    "eva02_tiny_patch14_224": ((16, 16), 1), "vit_small_patch16_dinov3": ((16, 16), 5),
    "vit_xsmall_patch16_clip_224": ((14, 14), 1), "flexivit_small": ((15, 15), 1),
    "vit_little_patch16_reg4_gap_256": ((16, 16), 4), "vit_medium_patch16_gap_240": ((15, 15), 0),
    "vit_relpos_small_patch16_224": ((14, 14), 0), "beit_base_patch16_224": ((14, 14), 1),
    "vit_small_patch16_rope_224": ((14, 14), 1), "pit_ti_224": ((27, 27), 1), "test_vit": ((10, 10), 1),
    "vit_wee_patch16_reg1_gap_256": ((16, 16), 1), "cait_xxs24_224": ((14, 14), 1),
    "fastvit_sa12": ((8, 8), 0),
}  # fmt: skip


@pytest.mark.parametrize(
    "name", [name if name == "test_vit" else pytest.param(name, marks=pytest.mark.slow) for name in GRIDS]
)
def test_grids_of_timm(name: str) -> None:
    needed("timm")
    torch.manual_seed(0)
    model, arguments, _ = timm(name)()
    seen = attnviz.watch(model.eval(), "*weights")(*arguments)
    grid = next(iter(seen.values())).grid
    assert grid is not None
    assert ((grid.rows, grid.columns), grid.prefix) == GRIDS[name]


@pytest.mark.slow
def test_shifted_windows_of_swin() -> None:
    needed("torchvision")
    torch.manual_seed(0)
    model, arguments, _ = of_torchvision("swin_t", 112)()
    peaked(model)
    seen = attnviz.watch(model, "features.1.*.attn.weights")(*arguments)
    for path, shift in (("features.1.0.attn.weights", 0), ("features.1.1.attn.weights", 3)):
        both = seen.captured.places(path.removesuffix(".weights"))
        assert both is not None
        places = both.query
        assert places is not None and (places.grid.rows, places.grid.columns) == (28, 28)
        cells = torch.arange(784).view(28, 28).roll((-shift, -shift), (0, 1))
        windows = cells.view(4, 7, 4, 7).transpose(1, 2).reshape(16, 49)
        assert torch.tensor(places.cells).equal(windows), path
