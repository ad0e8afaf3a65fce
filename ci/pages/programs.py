"""Runs the built programs and returns what they print."""

# SPDX-License-Identifier: Apache-2.0

import os
import subprocess


class Programs:
    def __init__(self, folder, cache):
        self.folder = folder
        self.environment = {
            **os.environ,
            "OPLEDGER_CACHE_DIR": str(cache),
            "NO_COLOR": "1",
            "LC_ALL": "C.UTF-8",
            "PATH": f"{folder}{os.pathsep}{os.environ.get('PATH', '')}",
        }
        self.environment.pop("OPLEDGER_CONFIG", None)

    def run(self, *arguments, cwd, statuses=(0,)):
        """Standard output; another exit status than expected is an error."""
        done = subprocess.run(
            [self.folder / "opledger", *arguments],
            cwd=cwd,
            capture_output=True,
            text=True,
            check=False,
            env=self.environment,
        )
        if done.returncode not in statuses:
            raise SystemExit(
                f"ci/site: error: opledger {' '.join(map(str, arguments))} ended with {done.returncode}\n"
                f"{done.stderr}"
            )
        return done.stdout
