"""Models with what 16 bits break: numbers that overflow and come back, what is counted from 1, integers that have to be
exact, phases, large numbers that cancel, sentinels of masks; and ordinary blocks, which they do not break. A model is a
family and a seed; its structure, the ways in which its constants come to be and the moves between its nodes are drawn.
"""
# SPDX-License-Identifier: Apache-2.0

import random
import zlib

from graph_writer import Case, Writer
from hazard_masks import MASKS
from hazard_numbers import CANCELLATION, INTEGERS, PHASES
from hazard_overflow import NEAR_ONE, OVERFLOW
from ordinary_models import ORDINARY

FAMILIES = {"overflow": OVERFLOW, "near-one": NEAR_ONE, "integers": INTEGERS, "phases": PHASES,
            "cancellation": CANCELLATION, "masks": MASKS, "ordinary": ORDINARY}
COUNT = 300  # of each


def name_of(family, seed):
    functions = FAMILIES[family]
    return f"{family}/{functions[seed % len(functions)].__name__}/{seed}"


def hazard_model(family, seed):
    name = name_of(family, seed)
    w = Writer(zlib.crc32(name.encode()))
    functions = FAMILIES[family]
    feeds = functions[seed % len(functions)](w)
    feeds, exact = feeds if isinstance(feeds, tuple) else (feeds, ())
    return Case(name, w.model(), feeds, exact=exact)


def names(count=COUNT):
    """(family, seed) of all models, in an order of which every Nth is a fair sample."""
    found = [(family, seed) for family in FAMILIES for seed in range(count)]
    random.Random(1).shuffle(found)
    return found
