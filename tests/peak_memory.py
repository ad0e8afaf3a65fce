"""Measures the peak memory of a program, for tests that use much memory themselves."""
# SPDX-License-Identifier: Apache-2.0

import subprocess
import sys

# A process's peak includes what it used before exec, so a small process starts the program.
STARTER = ("import resource, subprocess, sys\n"
           "done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)\n"
           "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, done.returncode, done.stderr)")


def peak_memory(command, folder):
    """Returns (peak bytes, exit status, standard error)."""
    said = subprocess.run([sys.executable, "-c", STARTER, *command], cwd=folder, capture_output=True, text=True,
                          check=True).stdout.split(" ", 2)
    return int(said[0]) * 1024, int(said[1]), said[2]
