"""A client of `opledger lsp` for tests: frames messages, answers the server's requests, records its
messages."""
# SPDX-License-Identifier: Apache-2.0

import json
import os
import pathlib
import select
import subprocess
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
ABILITIES = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {"publishDiagnostics": {"relatedInformation": True, "versionSupport": True},
                     "hover": {"contentFormat": ["markdown", "plaintext"]},
                     "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}},
    "workspace": {"workspaceEdit": {"documentChanges": True},
                  "didChangeWatchedFiles": {"dynamicRegistration": True}},
    "window": {"workDoneProgress": True},
}
SECONDS = 60


def uri_of(path):
    return "file://" + urllib.parse.quote(str(path))


class Gone(Exception):
    """The server has ended."""


class Client:
    def __init__(self, binary, environment, folder, *arguments):
        self.process = subprocess.Popen([binary, "lsp", *arguments], cwd=folder, env=environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        os.set_blocking(self.process.stdout.fileno(), False)
        self.bytes, self.next_id, self.messages, self.diagnostics, self.versions = b"", 1, [], {}, {}

    # --- raw
    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        body = json.dumps(message).encode()
        self.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def receive(self, seconds=SECONDS):
        """Returns the next message, or None after a timeout. Raises Gone at the end."""
        until = time.monotonic() + seconds
        while True:
            head, mark, rest = self.bytes.partition(b"\r\n\r\n")
            if mark:
                length = int(head.split(b":")[1])
                if len(rest) >= length:
                    self.bytes = rest[length:]
                    return json.loads(rest[:length])
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                return None
            data = self.process.stdout.read(65536)
            if data == b"":
                raise Gone
            self.bytes += data or b""

    # --- the protocol
    def take(self, seconds=SECONDS):
        """As receive, but records notifications and answers the server's requests."""
        message = self.receive(seconds)
        if message is None:
            return None
        self.messages.append(message)
        if message.get("method") == "textDocument/publishDiagnostics":
            params = message["params"]
            self.diagnostics[params["uri"]] = params["diagnostics"]
            self.versions[params["uri"]] = params.get("version")
        elif "method" in message and "id" in message:
            self.send({"jsonrpc": "2.0", "id": message["id"], "result": None})
        return message

    def notify(self, method, params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method, params, **more):
        """Sends a request; returns its id."""
        self.next_id += 1
        self.send({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params, **more})
        return self.next_id

    def answer(self, number):
        while True:
            message = self.take()
            assert message is not None, f"no answer to {number}"
            if message.get("id") == number and "method" not in message:
                return message

    def call(self, method, params):
        message = self.answer(self.ask(method, params))
        assert "result" in message, message
        return message["result"]

    def start(self, *folders, abilities=None):
        result = self.call("initialize", {
            "processId": os.getpid(), "rootUri": uri_of(folders[0]) if folders else None,
            "workspaceFolders": [{"uri": uri_of(folder), "name": "f"} for folder in folders],
            "capabilities": ABILITIES if abilities is None else abilities})
        self.notify("initialized", {})
        return result

    def open(self, path, text=None):
        text = path.read_bytes().decode() if text is None else text
        self.notify("textDocument/didOpen", {"textDocument": {
            "uri": uri_of(path), "languageId": "cpp", "version": 1, "text": text}})

    def change(self, path, text, version):
        self.notify("textDocument/didChange", {"textDocument": {"uri": uri_of(path), "version": version},
                                               "contentChanges": [{"text": text}]})

    def save(self, path):
        self.notify("textDocument/didSave", {"textDocument": {"uri": uri_of(path)}})

    def wait_for(self, what, seconds=SECONDS):
        """Reads messages until what() is true."""
        until = time.monotonic() + seconds
        while not what():
            left = until - time.monotonic()
            assert left > 0, f"did not come in {seconds} s; last: {self.messages[-3:]}"
            self.take(left)

    def found(self, path):
        """Returns (rule, line from 1) of each diagnostic of the file."""
        return sorted((each.get("code"), each["range"]["start"]["line"] + 1)
                      for each in self.diagnostics.get(uri_of(path), []))

    def settle(self, seconds=0.5):
        """Reads the messages that still arrive."""
        while self.take(seconds) is not None:
            pass

    def settle_end(self):
        """Reads the server's messages to the end."""
        try:
            while self.receive() is not None:
                pass
        except Gone:
            pass

    def stop(self):
        """Shuts the server down; returns its exit status."""
        self.call("shutdown", None)
        self.notify("exit", None)
        return self.end()

    def end(self):
        """Waits for the end; discards unread messages."""
        self.process.stdin.close()
        status = self.process.wait(SECONDS)
        self.stderr = self.process.stderr.read().decode(errors="replace")
        self.process.stdout.close()
        self.process.stderr.close()
        return status
