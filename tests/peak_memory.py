"""How much memory a program takes, by a test that holds much itself."""
# SPDX-License-Identifier: Apache-2.0

import subprocess
import sys

# What a process held before it became another counts as that one's: so a small one starts the program.
STARTER = ("import resource, subprocess, sys\n"
           "done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)\n"
           "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, done.returncode, done.stderr)")


def peak_memory(command, folder):
    """Bytes at most, exit status, standard error."""
    said = subprocess.run([sys.executable, "-c", STARTER, *command], cwd=folder, capture_output=True, text=True,
                          check=True).stdout.split(" ", 2)
    return int(said[0]) * 1024, int(said[1]), said[2]
