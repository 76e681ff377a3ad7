"""Training: the loop, objectives, optimisers and probes, runs that survive a kill, and from seeds to a checkpoint."""
