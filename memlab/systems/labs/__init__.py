"""The labs as systems: a file with the interface of a lab, published or of a learner."""
