"""A scripted agent acts on assembled contexts through long tasks."""
