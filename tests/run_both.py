#!/usr/bin/env python3
"""run_both.py A.onnx B.onnx: runs both models in ONNX Runtime on the same random inputs and prints
the largest difference of each output. Exit status 1: some difference is more than a hundredth of
the output's largest value."""
# SPDX-License-Identifier: Apache-2.0

import sys

import peers

try:
    import numpy
    import onnxruntime
except ImportError:
    peers.go_on_with(peers.ROOT / "build/bin", "numpy", "onnxruntime")
    print("skipped: onnxruntime is not installed, so the models are not run")
    sys.exit(0)


def main():
    first, second = (onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
                     for path in sys.argv[1:3])
    random = numpy.random.default_rng(1)
    inputs = {i.name: random.standard_normal([d if isinstance(d, int) else 4 for d in i.shape])
              .astype("float32") for i in first.get_inputs()}
    status = 0
    for output, a, b in zip(first.get_outputs(), first.run(None, inputs), second.run(None, inputs)):
        difference, largest = abs(a - b).max(), abs(a).max()
        print(f"{output.name}: largest difference {difference:.2g}, largest value {largest:.2g}")
        status |= not difference <= 0.01 * largest
    return status


if __name__ == "__main__":
    sys.exit(main())
