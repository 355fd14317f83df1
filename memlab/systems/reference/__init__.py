"""The reference as systems: with every defence, with one off, without a store, with another order of forgetting."""
