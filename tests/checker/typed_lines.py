"""Runs a program in a pseudo-terminal: types lines and reads what it shows."""
# SPDX-License-Identifier: Apache-2.0

import os
import pty
import select
import time

PATIENCE_SECONDS = 60


class Terminal:
    def __init__(self, command, folder, environment):
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            try:
                os.chdir(folder)
                os.execvpe(command[0], command, environment)
            finally:
                os._exit(127)

    def send(self, text):
        os.write(self.descriptor, text.encode())

    def read(self):
        """Returns new output; empty at the end."""
        try:
            return os.read(self.descriptor, 65536).decode("utf-8", "replace")
        except OSError:  # the other end is closed
            return ""

    def until(self, mark):
        """Returns the output until `mark`, or to the end."""
        seen, end = "", time.monotonic() + PATIENCE_SECONDS
        while mark not in seen and time.monotonic() < end:
            if not select.select([self.descriptor], [], [], 1)[0]:
                continue
            more = self.read()
            if not more:
                break
            seen += more
        return seen

    def rest(self):
        """Returns all output until the program ends."""
        return self.until("\0no such mark")

    def close(self):
        """Ends the program; returns its exit status."""
        os.close(self.descriptor)
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
