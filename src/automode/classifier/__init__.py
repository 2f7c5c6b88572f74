"""A model's judgement. Only the seam is here: a judge is any layer handed to `build_gate`.

Until one is configured, what no rule, wall or door decides is `gate.undecided`: asked, never allowed.
"""
