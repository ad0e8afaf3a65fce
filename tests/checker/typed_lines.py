"""A program in a terminal of its own: what is typed, and what it shows."""
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
        """What came since; empty at the end."""
        try:
            return os.read(self.descriptor, 65536).decode("utf-8", "replace")
        except OSError:  # the other end is closed
            return ""

    def until(self, mark):
        """What is shown until `mark`, or until nothing comes any more."""
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
        """All that is shown until the program ends."""
        return self.until("\0no such mark")

    def close(self):
        """Ends the program; its exit status."""
        os.close(self.descriptor)
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
