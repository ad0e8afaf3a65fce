"""Models that break in 16 bits: values that overflow and come back, counters, integers that have to
be exact, phases, large values that cancel, sentinels of masks; and ordinary blocks, which do not
break. A model is given by a family and a seed; its structure, the way each constant is written and
the moves between nodes are random.
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
COUNT = 300  # per family


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
    """Returns (family, seed) of all models, ordered so that every Nth is a fair sample."""
    found = [(family, seed) for family in FAMILIES for seed in range(count)]
    random.Random(1).shuffle(found)
    return found
