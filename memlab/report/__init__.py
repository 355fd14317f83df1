"""What a person sees: the table, the charts, the page."""
