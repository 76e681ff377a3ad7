"""A third party's mechanism: digits in colour, and what two stages of convolution make of them."""
