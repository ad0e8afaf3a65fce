#!/usr/bin/env python3
"""Converts models with a guard, written in any of 49 ways, to float16 and bfloat16.
Guards are 1e-3 to 1e-30, or 1 minus that. The results are finite where the float32 model is, and
deviate by no more than rounding explains (verdict.py).

    tests/conversion/values/guarded_test.py --bin build/bin [--every N] [--only PART] [--keep DIR] [--table]
"""
# SPDX-License-Identifier: Apache-2.0

import sys

from judging import judge_all, options_of  # exits as skipped if the peers are missing


def main():
    options = options_of(__doc__.splitlines()[0])
    from guarded_models import guarded_model, name_of, names
    return judge_all([(name_of(*each), lambda each=each: guarded_model(*each)) for each in names()], options)


if __name__ == "__main__":
    sys.exit(main())
