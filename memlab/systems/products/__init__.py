"""Memory products and stores of frameworks: each is imported only by its own file, and installed by an extra."""
