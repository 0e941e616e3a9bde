"""Items that behave otherwise in one language: frames of outcomes in, frames of items out.

``screen`` finds them (a random-effects model of items and a mixture), ``mantel_haenszel`` is the
classical check, and ``simulation`` makes outcomes with items that are broken on purpose.
"""
