"""Results from model cards, for a mechanism's page: dots and bars of accuracies, costs, and verdicts in words."""
