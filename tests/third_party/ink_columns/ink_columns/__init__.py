"""A third party's net without a card: a torch module that is handed over as it is."""
