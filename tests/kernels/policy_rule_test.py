#!/usr/bin/env python3
"""Measures how well the rule of `opledger characterize` predicts lists that it was not fitted to
(float16, with every step rounded where that fits better).

For each framework that ships a list, chooses the rule's thresholds from a grid for the lists of all
others, by the mean of Cohen's kappa, and scores them on this framework. Prints a table: operators
measured; agreement of the shipped rule; of the rule fitted without this framework; of the list's
most frequent policy, and of the others' most frequent policy; kappa of the fitted rule, where 0 is
chance. widest and either count as one. opledger's own lists, for ONNX and ONNX Runtime, come from
the rule, and are neither fitted nor scored.

The figures only test the thresholds: the measured quantities were chosen knowing all these lists.
And they depend on few operators: fitted for plain agreement, PyTorch's is 73 % out of sample, and
TensorFlow's 92 %.

Exit status: 0 the lists agree as far as README.md says, and the grid chooses the thresholds of
registry/precision_list/harm.h; 1 otherwise.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import collections
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

# As in harm.h; `rare` domains count for errors up to this deviation.
SHIPPED = {"not_finite": 0.001, "error": 16, "flushed": 0.01, "deviation": 1}
MAX_CHANGED_ROWS = 0.001
GRID = {"not_finite": (0.001, 0.01, 0.1), "error": (4, 8, 16, 32, 64, 128), "flushed": (0.01, 0.1, 1),
        "deviation": (1, 8, 64)}
OWN = ("onnx", "onnxruntime", "opledger")  # frameworks whose lists are opledger's own
# List -> minimum percentages in README.md: the shipped rule, and fitted without the framework.
STATED = {"mxnet/float16.json": (90, 90), "pytorch/float16-cuda.json": (97, 91), "pytorch/float16-mps.json": (94, 88),
          "pytorch/float16-xpu.json": (97, 91), "tensorflow/float16-cuda.json": (91, 91),
          "tvm-relay/float16.json": (98, 98), "tvm-relax/float16.json": (78, 78)}


def plain(policy):
    return "free" if policy in ("either", "widest") else policy


def deviation(domain):
    """Returns the deviation of a domain named "reals N" or "sizes N"; for other domains infinity if
    their values are rare, otherwise 0."""
    kind, _, size = domain["domain"].partition(",")[0].partition(" ")
    if kind in ("reals", "sizes"):
        return float(size)
    return float("inf") if domain["rare"] else 0


def does_harm(domain, limits):
    if "rows" in domain:
        return domain["changed_rows"] > MAX_CHANGED_ROWS
    return domain["p99"] > limits["error"] or domain["flushed"] > limits["flushed"]


def recommend(operator, stepwise, limits):
    """policy_rule.cpp with other limits."""
    computed = operator["computed"]
    if computed["step"] == "loss":
        return "fp32"
    if all(domain["exact"] for domain in computed["domains"]):
        return "free"
    domains = (operator.get("stepwise", computed) if stepwise else computed)["domains"]
    ordinary = [domain for domain in domains if deviation(domain) <= limits["deviation"]]
    if (any(domain["not_finite"] > limits["not_finite"] for domain in domains)
            or any(does_harm(domain, limits) for domain in ordinary)):
        return "fp32"
    return "target" if computed["step"] == "gain" else "free"


def agreement(listed, policies):
    return sum(policies[kernel] == policy for kernel, policy in listed.items()) / len(listed)


def kappa(listed, policies):
    counts = collections.Counter(listed.values())
    chosen = collections.Counter(policies[kernel] for kernel in listed)
    chance = sum(counts[each] * chosen[each] for each in counts) / len(listed) ** 2
    return (agreement(listed, policies) - chance) / (1 - chance)


def commonest(lists):
    return collections.Counter(policy for listed in lists for policy in listed.values()).most_common(1)[0][0]


def framework_of(name):
    return name.split("/")[0].split("-")[0]  # TVM has two dialects


def measure(program):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "evidence.json"
        subprocess.run([program, "--characterize", "--kernels", "reference", "--target-dtype", "float16", "-o", path],
                       capture_output=True, check=True, timeout=900)
        evidence = json.loads(path.read_text())
    operators = {}
    for each in evidence["operators"]:
        operators.setdefault(each["operator"], each)  # of kinds, the default
    lists = {each["list"]: {kernel: plain(policy) for kernel, policy in each["listed"].items()}
             for each in evidence["agreement"] if each["list"].split("/")[0] not in OWN}
    return operators, lists


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    operators, lists = measure(options.bin.resolve() / "opledger-run")
    problems = []
    for stepwise in (False, True):
        for kernel, operator in operators.items():
            measured = operator.get("stepwise", operator["computed"]) if stepwise else operator["computed"]
            if recommend(operator, stepwise, SHIPPED) != plain(measured["policy"]):
                problems.append(f"{kernel}: this test's rule differs from the program's")
    candidates = []
    for stepwise, *values in itertools.product((True, False), *GRID.values()):
        limits = dict(zip(GRID, values))
        policies = {kernel: recommend(operator, stepwise, limits) for kernel, operator in operators.items()}
        candidates.append(((stepwise, limits), policies))
    frameworks = sorted({framework_of(name) for name in lists})

    def fitted(without):
        """In ties, the first, which is the strictest."""
        def score(candidate):
            total = 0
            for framework in frameworks:
                own = [listed for name, listed in lists.items() if framework_of(name) == framework != without]
                total += sum(kappa(listed, candidate[1]) for listed in own) / max(1, len(own))
            return total
        return max(candidates, key=score)

    chosen = fitted(None)[0]
    if chosen != (True, SHIPPED):
        problems.append(f"all lists together choose {chosen}, the program has {SHIPPED}")
    shipped = next(policies for choice, policies in candidates if choice == (True, SHIPPED))
    print(f"{'list':30}operators  rule  out of sample  commonest  others' commonest  kappa")
    for framework in frameworks:
        others = [listed for name, listed in lists.items() if framework_of(name) != framework]
        _, policies = fitted(framework)
        for name, listed in lists.items():
            if framework_of(name) != framework:
                continue
            most = max(collections.Counter(listed.values()).values()) / len(listed)
            theirs = sum(policy == commonest(others) for policy in listed.values()) / len(listed)
            figures = agreement(listed, shipped), agreement(listed, policies)
            print(f"{name:30}{len(listed):9}{figures[0]:6.0%}{figures[1]:15.0%}{most:11.0%}{theirs:19.0%}"
                  f"{kappa(listed, policies):7.2f}")
            stated = STATED.get(name, (0, 0))
            if any(round(100 * figure) < least for figure, least in zip(figures, stated)):
                problems.append(f"{name} agrees less than README.md says, {stated}")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
