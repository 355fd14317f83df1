"""Attacks: each turns a clean scenario into an attacked one."""
