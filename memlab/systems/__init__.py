"""Everything that can be compared, one file each, behind the three verbs."""
