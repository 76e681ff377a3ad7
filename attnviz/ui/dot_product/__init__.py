"""What every mechanism with dot-product attention shares: the view of its viewer, and the mean row of a head."""
