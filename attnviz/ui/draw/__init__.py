"""The draw page, where many models look at one drawing."""
