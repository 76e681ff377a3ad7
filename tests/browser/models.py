"""The committed models that a browser test opens unless it is about another one; and small ones with drawn weights."""

TEN_DIGITS = "pixel_attention.digits"  # eight heads with positions, 196 tokens
ONE_OR_EIGHT = "pixel_attention.1v8"  # one head, no positions, 784 tokens
SEVERAL_HEADS = "pixel_attention.1v8-augmented"  # 24, no positions
WITH_POSITIONS = "pixel_attention.1v8-augmented-positions"  # 24 heads
LINE, HISTOGRAM, INK = "pixel_line.digits", "histogram_line.digits", "ink.digits"  # logistic regressions

IN_COLOUR = "element_wise.cifar-repaired"

ON_CARDS = (TEN_DIGITS, WITH_POSITIONS, ONE_OR_EIGHT, LINE, HISTOGRAM, INK)

# tests/ui/mechanisms/pixel_attention/experiments/placed.py makes these: three heads, and few numbers in each
SMALL, SMALL_WITH_POSITIONS = "pixel_attention.without", "pixel_attention.with"
