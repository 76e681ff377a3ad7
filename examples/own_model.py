"""Watch the attention of a model of your own, read it off, and draw it.

Run: python examples/own_model.py
"""

import torch
from torch import Tensor, nn

import attnviz


class Patches(nn.Module):
    """A vision transformer as many write it: 4 x 4 patches, a class token, torch's own encoder layers."""

    def __init__(self, features: int = 32, layers: int = 3, heads: int = 4) -> None:
        super().__init__()
        self.patches = nn.Conv2d(1, features, kernel_size=4, stride=4)
        self.first = nn.Parameter(torch.randn(1, 1, features))
        self.positions = nn.Parameter(torch.randn(1, 50, features))
        one = nn.TransformerEncoderLayer(features, heads, 2 * features, batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(one, layers, enable_nested_tensor=False)
        self.answer = nn.Linear(features, 10)

    def forward(self, pictures: Tensor) -> Tensor:  # (batch, 1, 28, 28)
        tokens = self.patches(pictures).flatten(2).mT
        tokens = torch.cat([self.first.expand(len(tokens), -1, -1), tokens], dim=1) + self.positions
        answer: Tensor = self.answer(self.layers(tokens)[:, 0])
        return answer


def main() -> None:
    torch.manual_seed(0)
    model = Patches().eval()
    seen = attnviz.watch(model)(torch.rand(1, 1, 28, 28))
    print(seen.report())
    path = next(path for path in seen if path.endswith(".weights"))
    reading = seen[path]
    weights = reading.at(batch=0, head=1, query=0)  # what the class token receives, (key,)
    print(f"{path}: the class token takes {float(weights[0]):.1%} from itself.")
    with attnviz.trace(model, keep=[path], edits=[attnviz.edits.off(path.replace("weights", "mixed"), head=1)]):
        print("Without head 1 the logits are", model(torch.rand(1, 1, 28, 28))[0, :3].tolist())
    figure = attnviz.figure(seen, layers=[0, 2], query=(3, 3))
    print(figure.save("own_model.csv"))


if __name__ == "__main__":
    main()
