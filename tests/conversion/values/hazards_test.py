#!/usr/bin/env python3
"""Converts models that break in 16 bits, and ordinary ones, to float16 and bfloat16.
There are six families and the ordinary models, 300 of each. The results are finite where the
float32 model is, and deviate by no more than rounding explains; integers are exact (verdict.py).

    tests/conversion/values/hazards_test.py --bin build/bin [--every N] [--only PART] [--keep DIR] [--table]
"""
# SPDX-License-Identifier: Apache-2.0

import sys

from judging import judge_all, options_of  # exits as skipped if the peers are missing


def main():
    options = options_of(__doc__.splitlines()[0])
    from hazard_models import hazard_model, name_of, names
    return judge_all([(name_of(*each), lambda each=each: hazard_model(*each)) for each in names()], options)


if __name__ == "__main__":
    sys.exit(main())
