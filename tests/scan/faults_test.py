#!/usr/bin/env python3
"""A file that crashes, hangs or exhausts its worker affects only itself; no process is left
behind."""
# SPDX-License-Identifier: Apache-2.0

import os
import re
import signal
import subprocess
import sys
import time

import scanning
from scanning import Skip, Tree, expect, main, processes_of, registering, sanitized, skip_part

LIMITS = ("--file-seconds", "2", "--file-megabytes", "256")
BAD = {  # kind of fault -> message
    "crash": "the worker crashed (Segmentation fault)",
    "abort": "the worker stopped itself (Aborted)",
    "hang": "took more than 2 seconds (--file-seconds)",
    "memory": "needs more than 256 MB of memory (--file-megabytes)",
    "stack": "the worker crashed (Segmentation fault)",
}


def faulty(program, stage=""):
    """Returns the environment variable for one bad file of each kind, and their paths."""
    paths = {kind: f"src/unit_{i:02}.cc" for i, kind in zip((1, 4, 9, 15, 18), BAD)}
    if sanitized(program):
        skip_part("the file that takes too much memory")
        del paths["memory"]
    return ",".join(f"{kind}{stage}:{path}" for kind, path in paths.items()), paths


def test_bad_units_cost_only_themselves(bin_folder, folder):
    units, program = registering(20), bin_folder / "opledger-scan-faults"
    for stage in ("", "@outline"):
        fault, paths = faulty(program, stage)
        good = {name: text for name, text in units.items() if name not in paths.values()}
        expected = Tree(folder / "good", good).scan(bin_folder / "opledger-scan", "--no-cache")
        tree = Tree(folder / f"all{stage}", units)
        for jobs in ("2",) if scanning.SAMPLE else ("1", "2", "4"):
            result = tree.scan(program, "-j", jobs, "--no-cache", *LIMITS, fault=fault)
            expect(result.status == 3, jobs, result.status, result.stderr)
            expect(result.operator_lines == expected.operator_lines, jobs, result.names)
            expect(result.incomplete == {paths[kind]: [BAD[kind]] for kind in paths},
                   jobs, result.incomplete)
            expect(result.seconds < 10, jobs, result.seconds)
    wait_for_the_end(folder, 5)


def test_workers_are_in_a_sandbox(bin_folder, folder):
    tree = Tree(folder / "all", registering(3))
    doctor = subprocess.run([bin_folder / "opledger", "doctor"], text=True, capture_output=True,
                            cwd=folder)
    kernel = next(line for line in doctor.stdout.split("\n") if line.startswith("sandbox "))
    forbidden = {}
    if "Landlock" in kernel:
        forbidden.update(dict.fromkeys(("read", "write", "overwrite", "remove"), "13"))
        if int(re.search(r"Landlock (\d+)", kernel)[1]) >= 3:
            forbidden["truncate"] = "13"
    if "seccomp" in kernel and not sanitized(bin_folder / "opledger-scan-faults"):
        # The calls themselves; for opening a file, Landlock decides.
        forbidden.update(dict.fromkeys(("socket", "fork", "run", "signal", "remove", "truncate"), "1"))
    elif "Landlock" in kernel:
        forbidden["run"] = "13"
    if not forbidden:
        raise Skip("this kernel has neither Landlock nor seccomp")
    for stage in ("", "@outline"):
        result = tree.scan(bin_folder / "opledger-scan-faults", "--no-cache",
                           fault=f"try{stage}:unit_01.cc")
        expect(result.status == 3, result.status, result.stderr)
        told = dict(each.split() for each in result.incomplete["src/unit_01.cc"][0].split(", "))
        expect({**told, **forbidden} == told, stage, told, forbidden)
    expect(result.names == ["op_00", "op_02"], result.names)
    expect(not (tree.folder / "src/written").exists())


def test_what_failed_is_tried_again(bin_folder, folder):
    program = bin_folder / "opledger-scan-faults"
    fault, paths = faulty(program)
    tree = Tree(folder / "all", registering(20))
    result = tree.scan(program, *LIMITS, fault=fault)
    expect(result.status == 3, result.stderr)
    result = tree.scan(bin_folder / "opledger-scan", "--timing", *LIMITS)
    expect(result.status == 0, result.stderr)
    expect(len(result.names) == 20, result.names)
    expect(f"({len(paths)} of 20 units preprocessed" in result.stderr, result.stderr)


def test_every_unit_bad(bin_folder, folder):
    tree = Tree(folder / "all", registering(40))
    for kind in ("crash", "exit", "abort"):
        result = tree.scan(bin_folder / "opledger-scan-faults", "-j", "3", "--no-cache", *LIMITS,
                           fault=f"{kind}:.cc")
        expect(result.status in (2, 3), result.status)
        expect(result.seconds < 10, result.seconds)
    wait_for_the_end(folder, 5)


def wait_for_workers(folder, count):
    for _ in range(3000):
        if len(processes_of(folder)) >= 1 + count:
            return
        time.sleep(0.01)
    raise AssertionError(f"no {count} workers: {processes_of(folder)}")


def wait_for_the_end(folder, limit):
    begin = time.perf_counter()
    while processes_of(folder):
        expect(time.perf_counter() - begin < limit, "still there:", processes_of(folder))
        time.sleep(0.01)


def test_interrupted(bin_folder, folder):
    for stage in ("", "@outline"):
        for number, to_all in ((signal.SIGINT, False), (signal.SIGINT, True),
                               (signal.SIGTERM, False), (signal.SIGHUP, True)):
            name = f"{number.name}{to_all}{stage}"
            tree = Tree(folder / name, registering(40))
            process = tree.start(bin_folder / "opledger-scan-faults", "-j", "2",
                                 fault=f"hang{stage}:7.cc", cache=folder / f"cache-{name}",
                                 start_new_session=True)
            wait_for_workers(folder, 2)
            time.sleep(0.3)
            (os.killpg if to_all else os.kill)(process.pid, number)
            process.communicate(timeout=5)  # immediate; the limit is for a busy machine
            # Ends by the signal itself: shells show that as 128 + number, and stop their own loops.
            expect(process.returncode == -number, name, process.returncode)
            wait_for_the_end(folder, 5)
            expect(not (tree.folder / "operators.json").exists(), name, "wrote a manifest")
            # Finished work is not repeated.
            again = tree.scan(bin_folder / "opledger-scan", "--timing", cache=folder / f"cache-{name}")
            expect(again.status == 0 and len(again.names) == 40, again.stderr)
            expect("(40 of 40 " not in again.stderr.split("index")[bool(not stage)], again.stderr)


def test_shells_show_130(bin_folder, folder):
    tree = Tree(folder / "tree", registering(2))
    command = tree.command(bin_folder / "opledger-scan-faults", "-j", "1")
    process = subprocess.Popen(["bash", "-c", 'set -m; "$@" & echo $!; wait $!; echo $?', "bash",
                                *command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                               env=tree.environment(fault="hang:.cc"))
    pid = int(process.stdout.readline())
    wait_for_workers(folder, 2)
    os.kill(pid, signal.SIGINT)
    expect(process.communicate(timeout=5)[0] == "130\n")


def test_killed(bin_folder, folder):
    for stage in ("", "@outline"):
        tree = Tree(folder / f"tree{stage}", registering(40))
        process = tree.start(bin_folder / "opledger-scan-faults", "-j", "2",
                             fault=f"hang{stage}:.cc")
        wait_for_workers(folder, 2)
        process.kill()
        process.communicate(timeout=1)
        wait_for_the_end(folder, 5)


def test_large_answers(bin_folder, folder):
    """Several workers send answers of megabytes at once, and one of them dies while sending."""
    names = [f"op_{i}" for i in range(6)]
    units = {f"src/{name}.cc": "\n".join(
        f'REGISTER_OP({name}_{k}).doc("{"x" * 50_000}");' for k in range(60)) for name in names}
    tree = Tree(folder / "tree", units)
    whole = tree.scan(bin_folder / "opledger-scan", "-j", "1", "--no-cache")
    expect(whole.status == 0 and len(whole.names) == 360, whole.stderr)
    for jobs in ("2", "4"):
        result = tree.scan(bin_folder / "opledger-scan-faults", "-j", jobs, "--no-cache",
                           fault="crash:op_3.cc")
        expect(result.status == 3, result.stderr)
        expect(len(result.names) == 300, len(result.names))
        result = tree.scan(bin_folder / "opledger-scan", "-j", jobs, "--no-cache")
        expect(result.text == whole.text, "differs with -j", jobs)


if __name__ == "__main__":
    sys.exit(main(globals()))
