#!/usr/bin/env python3
"""Finds the nodes of a model that have to stay in float32 so that its outputs are within a bound on given inputs.

    tune_on_samples.py MODEL.onnx MIXED.onnx BOUND NAME=D,D ...     writes MIXED.onnx
"""
# SPDX-License-Identifier: Apache-2.0

import sys

import numpy
import opledger


def main(model, mixed, bound, *shapes):
    random = numpy.random.default_rng(1)
    types = opledger.Session(model).inputs
    # Replace these by arrays that the model will typically get.
    samples = [{name: random.standard_normal(tuple(map(int, dimensions.split(",")))).astype(types[name])
                for name, _, dimensions in (each.partition("=") for each in shapes)} for _ in range(2)]
    tuned = opledger.tune(model, samples, max_error=float(bound), kernels="fast", progress=True)
    print(f"{len(tuned.kept)} of {tuned.nodes} nodes stay float32; off by {tuned.error:.1e}, {tuned.error_before:.1e} "
          "without them")
    print(opledger.convert(model, mixed, precision_list=tuned))


if __name__ == "__main__":
    main(*sys.argv[1:])
