"""Language models in place of the rules that stand in for one: adapters, cassettes, budgets, checked answers."""
