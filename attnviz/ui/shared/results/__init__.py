"""What cards hold about a mechanism, on its page: dots and bars of accuracies, costs, and verdicts in words."""
