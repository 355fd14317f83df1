"""What the systems of the documents share, so that a difference between two rows is one of design.

A number marked [s] is the document's own, [p] that of a paper it cites, [m] memlab's choice.
"""
