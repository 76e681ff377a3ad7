"""Training: the loop, objectives, optimisers, probes, runs that survive a kill, and checkpoints from several seeds."""
