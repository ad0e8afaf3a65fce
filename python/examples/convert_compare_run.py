#!/usr/bin/env python3
"""Converts a trained model to float16, compares it with the original on random inputs, and runs it.

    convert_compare_run.py MODEL.onnx NAME=D,D ...     the shapes of its inputs
"""
# SPDX-License-Identifier: Apache-2.0

import sys

import numpy
import opledger


def main(model, *shapes):
    shapes = {name: tuple(map(int, dimensions.split(","))) for name, _, dimensions in
              (each.partition("=") for each in shapes)}
    mixed = opledger.convert(model)
    print(mixed)
    compared = opledger.compare(model, mixed, input_shapes=shapes)
    for output in compared.outputs:
        print(f"{output.name}: off by {output.error.relative:.1e} of its largest element")
    worst = compared.worst(1)[0]
    print(f"worst node: {worst.name} ({worst.operator})")

    random = numpy.random.default_rng(1)
    with opledger.Session(mixed) as session:
        inputs = {name: random.standard_normal(shape).astype(session.inputs[name]) for name, shape in shapes.items()}
        for _ in range(3):
            outputs = session.run(inputs)
    for name, output in outputs.items():
        print(name, output.dtype, output.shape)


if __name__ == "__main__":
    main(*sys.argv[1:])
