#!/usr/bin/env python3
"""Tests `opledger lsp` end to end: diagnostics are those of `check` for the editor's text, edits
are those of `classify`, and no client, however odd, crashes it or makes it leave files behind."""
# SPDX-License-Identifier: Apache-2.0

import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/scan"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from lsp_client import Client, uri_of  # noqa: E402
from scanning import expect, main  # noqa: E402

DIALECT = {
    "name": "own", "sources": ["src/**"], "extensions": [".cc"], "include_directories": ["include"],
    "sinks": [{"macro": "REGISTER_OP"}],
}
LIST = """{
  "framework": "own",
  "target_dtype": "float16",
  "target": ["matmul"],
  "fp32": [
    "exp",
    {"op": "log", "reason": "numeric", "note": "a *bold* <b>note</b> | `x`"}
  ],
  "conditional": [
    {"op": "act", "attribute": "kind", "values": ["selu"], "then": "fp32", "otherwise": "either"}
  ]
}
"""
SOURCE = "REGISTER_OP(matmul);\nREGISTER_OP(exp);\nREGISTER_OP(log);\nREGISTER_OP(act);\n"


class Project:
    """A small project in a folder whose name needs percent-encoding."""

    def __init__(self, bin_folder, folder, name="a project, ü", files=None):
        self.root, self.program, self.folder = folder / name, str(bin_folder / "opledger"), folder
        (folder / "temporary").mkdir(exist_ok=True)
        self.environment = {
            "PATH": "/usr/bin:/bin", "HOME": str(folder), "OPLEDGER_CACHE_DIR": str(folder / "cache"),
            "TMPDIR": str(folder / "temporary"), "LANG": "C.UTF-8",
            **{name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}}
        self.source, self.list = self.root / "src/a.cc", self.root / "lists/float16.json"
        self.put("own.json", json.dumps(DIALECT))
        self.put("opledger.json", json.dumps({"dialect": "own.json", "lists": ["lists/float16.json"]}))
        self.put("lists/float16.json", LIST)
        self.put("src/a.cc", SOURCE)
        for path, text in (files or {}).items():
            self.put(path, text)

    def put(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        return path

    def run(self, *words):
        return subprocess.run([self.program, *words], cwd=self.root, env=self.environment, text=True,
                              capture_output=True, check=False)

    def check(self):
        """Returns path -> sorted (rule, line), as `opledger check` reports."""
        report = json.loads(self.run("check", "--output-format", "json").stdout)
        found = {}
        for each in report["findings"]:
            found.setdefault(each["location"]["path"], []).append((each["rule"], each["location"]["line"]))
        return {path: sorted(places) for path, places in found.items()}

    def client(self, *arguments):
        return Client(self.program, self.environment, self.folder, *arguments)

    def started(self, **more):
        client = self.client()
        client.start(self.root, **more)
        client.open(self.source)
        client.wait_for(lambda: uri_of(self.source) in client.diagnostics)
        return client

    def expect_like_check(self, client):
        client.settle()
        said = {uri: client.diagnostics[uri] for uri in client.diagnostics if client.diagnostics[uri]}
        told = {str(path): client.found(self.root / path) for path in self.check()}
        expect("what the editor shows", told, self.check())
        expect("documents with findings", len(said), len(told))

    def expect_nothing_left(self):
        expect("files left behind", os.listdir(self.folder / "temporary"), [])


def applied(text, edits):
    """Returns the text after the edits of a client that counts UTF-16 units."""
    lines = text.splitlines(keepends=True) + [""]

    def offset(position):
        line = lines[position["line"]]
        units = line.encode("utf-16-le")[:2 * position["character"]].decode("utf-16-le")
        return sum(len(each) for each in lines[:position["line"]]) + len(units)

    for edit in sorted(edits, key=lambda each: offset(each["range"]["start"]), reverse=True):
        begin, end = offset(edit["range"]["start"]), offset(edit["range"]["end"])
        text = text[:begin] + edit["newText"] + text[end:]
    return text


def actions_at(client, path, line, character=0, **context):
    place = {"line": line, "character": character}
    return client.call("textDocument/codeAction", {
        "textDocument": {"uri": uri_of(path)}, "range": {"start": place, "end": place},
        "context": {"diagnostics": [], **context}})


def edits_of(action):
    (change,) = action["edit"]["documentChanges"]
    return change["textDocument"]["uri"], change["edits"]


def ask_at(client, method, path, line, character):
    return client.call(f"textDocument/{method}", {"textDocument": {"uri": uri_of(path)},
                                                  "position": {"line": line, "character": character}})


def test_diagnostics_are_those_of_check(bin_folder, folder):
    project = Project(bin_folder, folder, files={
        "src/a.cc": SOURCE + "REGISTER_OP(new_one);\n", "src/b.cc": "REGISTER_OP(other);\n",
        "lists/float16.json": LIST.replace('"exp",', '"exp", "gone", "exp",')})
    client = project.started()
    project.expect_like_check(client)
    expect("a finding in the list", ("stale-entry", 6) in client.found(project.list), True)
    (first,) = client.diagnostics[uri_of(project.source)]
    expect("its severity", first["severity"], 1)
    expect("its place", first["range"], {"start": {"line": 4, "character": 12}, "end": {"line": 4, "character": 19}})
    expect("it names the remedy", "opledger classify new_one --as" in first["message"], True)
    expect("status", client.stop(), 0)
    expect("nothing on standard error", client.stderr, "")
    project.expect_nothing_left()


def test_unsaved_text_counts_and_goes(bin_folder, folder):
    project = Project(bin_folder, folder)
    client = project.started()
    expect("at first", client.found(project.source), [])
    client.change(project.source, "// é 😀\n" + SOURCE + "REGISTER_OP(typed);\n", 2)
    client.wait_for(lambda: client.found(project.source))
    expect("for the typed text", client.found(project.source), [("unclassified-operator", 6)])
    expect("its version", client.versions[uri_of(project.source)], 2)
    expect("the file", project.source.read_text(), SOURCE)
    expect("what check reports for the file", project.check(), {})
    client.open(project.list, LIST)
    client.change(project.list, LIST.replace('"matmul"', '"matmul", "typed"'), 2)
    client.wait_for(lambda: not client.found(project.source))
    client.change(project.list, LIST.replace('"matmul"', '"matmul", "typed", "gone"'), 3)
    client.wait_for(lambda: client.found(project.list))
    expect("in the list", client.found(project.list), [("stale-entry", 4)])
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri_of(project.list)}})
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri_of(project.source)}})
    client.wait_for(lambda: not any(client.diagnostics.values()))
    expect("status", client.stop(), 0)
    expect("what a scan reports afterwards", project.check(), {})
    project.expect_nothing_left()


def test_unsaved_text_of_a_header(bin_folder, folder):
    project = Project(bin_folder, folder, files={
        "include/wrap.h": "#define WRAP(name) REGISTER_OP(w_##name)\n",
        "src/b.cc": '#include "wrap.h"\nWRAP(exp);\n',
        "lists/float16.json": LIST.replace('"exp"', '"exp", "w_exp"')})
    client = project.started()
    header = project.root / "include/wrap.h"
    client.open(header)
    client.change(header, "#define WRAP(name) REGISTER_OP(v_##name)\n", 2)
    client.wait_for(lambda: client.found(project.list))
    expect("of the other name", client.found(project.list), [("near-miss-name", 6)])
    client.change(header, "#define WRAP(name) REGISTER_OP(w_##name)\n", 3)
    client.wait_for(lambda: not any(client.diagnostics.values()))
    expect("status", client.stop(), 0)
    expect("the cache has the saved text", project.check(), {})


def test_random_texts(bin_folder, folder):
    """Typed text has the findings that check reports for the same text once saved."""
    chance, names = random.Random(5), ["exp", "log", "act", "matmul", "nu", "gone", "é😀"]
    project = Project(bin_folder, folder)
    client = project.started()
    client.open(project.list)
    for number in range(15):
        source = "".join(f"REGISTER_OP({chance.choice(names[:5])});\n" for _ in range(chance.randrange(1, 7)))
        entries = json.dumps({"framework": "own", "target_dtype": "float16",
                              "fp32": chance.sample(names, chance.randrange(5)),
                              "either": chance.sample(names, chance.randrange(4))},
                             ensure_ascii=False, indent=chance.choice([None, 1]))
        client.change(project.source, source, number + 2)
        client.change(project.list, entries, number + 2)
        ask_at(client, "hover", project.source, 0, 0)
        typed = {str(path.relative_to(project.root)): client.found(path) for path in (project.source, project.list)
                 if client.found(path)}
        project.source.write_text(source)
        project.list.write_text(entries)
        expect(f"findings of {source} in {entries}", typed, project.check())
    expect("status", client.stop(), 0)


def test_byte_order_mark(bin_folder, folder):
    """In a file that is not open: editors do not count its byte-order mark."""
    text = json.dumps(json.loads(LIST))
    project = Project(bin_folder, folder, files={"lists/float16.json": "\ufeff" + text,
                                                 "src/a.cc": SOURCE + "REGISTER_OP(new_one);\n"})
    client = project.started()
    action = next(each for each in actions_at(client, project.source, 4) if " as fp32 " in each["title"])
    project.run("classify", "new_one", "--as", "fp32", "--list", "float16")
    expect("the list", "\ufeff" + applied(text, edits_of(action)[1]), project.list.read_bytes().decode())
    expect("status", client.stop(), 0)


def test_without_scanner(bin_folder, folder):
    (folder / "bin").mkdir()
    shutil.copy(bin_folder / "opledger", folder / "bin")
    (folder / "share").symlink_to(bin_folder.parent / "share")
    project = Project(folder / "bin", folder)
    client = project.started()
    client.wait_for(lambda: any(each.get("method") == "window/showMessage" for each in client.messages))
    expect("it is said", client.found(project.root / "opledger.json"), [(None, 1)])
    expect("status", client.stop(), 0)


def test_include_is_typed(bin_folder, folder):
    """Edits that change how a file is scanned, before anything is saved."""
    project = Project(bin_folder, folder, files={"include/wrap.h": "#define WRAP(name) REGISTER_OP(w_##name)\n"})
    client = project.started()
    for number in range(2, 5):
        client.change(project.source, f'#include "wrap.h"\n{SOURCE}WRAP(of_{number});\n', number)
        client.wait_for(lambda: any(f"'w_of_{number}'" in each["message"]  # noqa: B023
                                    for each in client.diagnostics[uri_of(project.source)]))
        expect("its line", client.found(project.source), [("unclassified-operator", 6)])
    expect("what is saved", project.check(), {})
    client.change(project.source, SOURCE, 5)
    client.wait_for(lambda: not client.found(project.source))
    expect("status", client.stop(), 0)


def test_project_in_a_project(bin_folder, folder):
    """A document in two projects has the findings of both; neither hides the other's."""
    project = Project(bin_folder, folder, files={
        "src/inner/own.json": json.dumps(DIALECT), "src/inner/lists/float16.json": LIST.replace('"exp",', '"exp", "x",'),
        "src/inner/opledger.json": json.dumps({"dialect": "own.json", "lists": ["lists/float16.json"]}),
        "src/inner/src/b.cc": "REGISTER_OP(in_both);\n"})
    inner = project.root / "src/inner/src/b.cc"
    client = project.started()
    client.open(inner)
    client.wait_for(lambda: len(client.found(inner)) == 2)
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri_of(inner)}})
    client.wait_for(lambda: len(client.found(inner)) == 1)
    client.settle()
    expect("only the inner project's finding remains", client.found(project.root / "src/inner/lists/float16.json"), [])
    expect("status", client.stop(), 0)


def test_several_dialects(bin_folder, folder):
    """Each dialect of a project is checked; a document has the findings of all, and a hover those
    of its own."""
    other = {**DIALECT, "name": "other", "sinks": [{"macro": "OTHER_OP"}]}
    project = Project(bin_folder, folder, files={
        "src/b.cc": "OTHER_OP(log);\nOTHER_OP(new_one);\n", "src/a.cc": SOURCE + "REGISTER_OP(new_one);\n",
        "other.json": json.dumps(other),
        "lists/other.json": '{"framework": "other", "target_dtype": "float16", "either": ["log"]}\n',
        "opledger.json": json.dumps({"dialects": [{"dialect": "own.json"}, {"dialect": "other.json"}],
                                     "lists": ["lists/float16.json", "lists/other.json"]})})
    client = project.started()
    second = project.root / "src/b.cc"
    client.open(second)
    client.wait_for(lambda: client.found(second) and client.found(project.source))
    project.expect_like_check(client)
    text = ask_at(client, "hover", second, 0, 10)["contents"]["value"]
    expect("its own policy", "**either**" in text, True)
    expect("status", client.stop(), 0)


def test_project_file_is_typed(bin_folder, folder):
    project = Project(bin_folder, folder, files={"src/a.cc": SOURCE + "REGISTER_OP(new_one);\n"})
    client = project.started()
    file = project.root / "opledger.json"
    client.open(file)
    client.change(file, file.read_text()[:-1] + ', "severities": {"unclassified-operator": "off"}}', 2)
    client.wait_for(lambda: not client.found(project.source))
    client.change(file, file.read_text()[:-1] + ', "severities": {"unclassified-operator": ', 3)
    client.wait_for(lambda: client.found(file))
    expect("as it is saved", client.found(project.source), [("unclassified-operator", 5)])
    expect("status", client.stop(), 0)


def test_files_and_folders_go(bin_folder, folder):
    project = Project(bin_folder, folder, files={"src/b.cc": "REGISTER_OP(new_one);\n"})
    client = project.started()
    other = project.root / "src/b.cc"
    client.open(other)
    client.wait_for(lambda: client.found(other))
    other.unlink()
    client.change(other, "REGISTER_OP(more);\n", 2)
    client.wait_for(lambda: not client.found(other))
    shutil.move(project.root, folder / "elsewhere")
    client.save(project.source)
    client.save(other)
    expect("nothing is known", ask_at(client, "hover", other, 0, 13), None)
    shutil.move(folder / "elsewhere", project.root)
    client.open(project.source, SOURCE + "REGISTER_OP(back);\n")
    client.wait_for(lambda: client.found(project.source))
    expect("status", client.stop(), 0)


def test_much_is_open(bin_folder, folder):
    """Hundreds of open documents, one of them of 8 MB."""
    project = Project(bin_folder, folder)
    client = project.started()
    for number in range(300):
        client.open(project.root / f"src/new_{number}.cc", "x")
    client.open(project.list, LIST[:-2] + " " * (8 << 20) + "}\n")
    client.open(project.source, SOURCE + "// " + "é" * (4 << 20) + "\nREGISTER_OP(last);\n")
    client.wait_for(lambda: client.found(project.source))
    expect("the line behind", client.found(project.source), [("unclassified-operator", 6)])
    expect("completion", ask_at(client, "completion", project.list, 3, 13) is not None, True)
    expect("status", client.stop(), 0)


def test_increments(bin_folder, folder):
    project = Project(bin_folder, folder, files={"src/a.cc": "/* 😀é */\r\n" + SOURCE.replace("\n", "\r\n")})
    client = project.started()

    def insert(line, character, text, version, end=None):
        client.notify("textDocument/didChange", {
            "textDocument": {"uri": uri_of(project.source), "version": version},
            "contentChanges": [{"range": {"start": {"line": line, "character": character},
                                          "end": end or {"line": line, "character": character}}, "text": text}]})

    insert(0, 9, " REGISTER_OP(typed);", 2)
    client.wait_for(lambda: client.found(project.source))
    expect("the place", client.diagnostics[uri_of(project.source)][0]["range"]["start"], {"line": 0, "character": 22})
    insert(0, 22, "exp", 3, {"line": 0, "character": 27})
    client.wait_for(lambda: not client.found(project.source))
    expect("status", client.stop(), 0)


def test_options_of_check(bin_folder, folder):
    project = Project(bin_folder, folder, files={"src/a.cc": SOURCE + "REGISTER_OP(new_one);\n"})
    client = project.client("--ignore", "unclassified-operator", "--stdio")
    client.start(project.root)
    client.open(project.source)
    client.wait_for(lambda: uri_of(project.source) in client.diagnostics)
    expect("ignored", client.found(project.source), [])
    expect("status", client.stop(), 0)
    client = project.client("--config", "nowhere/opledger.json")
    client.start(project.root)
    client.open(project.source)
    client.wait_for(lambda: any(each.get("method") == "window/showMessage" for each in client.messages))
    expect("status", client.stop(), 0)


def test_new_operator_where_unlisted_is_a_policy(bin_folder, folder):
    """As `init` proposes it: existing operators need no entry, added ones do, and an action adds
    it."""
    rule = '"target_dtype": "float16",'
    project = Project(bin_folder, folder, files={
        "src/a.cc": SOURCE + "REGISTER_OP(old_one);\n",
        "lists/float16.json": LIST.replace(rule, rule + '\n  "unlisted": "either",')})
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run(git + command, cwd=project.root, check=True)

    def shown(*flags):
        client = project.client(*flags)
        client.start(project.root)
        client.open(project.source)
        client.wait_for(lambda: uri_of(project.source) in client.diagnostics)
        expect("what stands", client.found(project.source), [])
        text = project.source.read_text()
        client.change(project.source, text + "REGISTER_OP(new_one);\n", 2)
        return client

    client = shown()
    client.wait_for(lambda: client.found(project.source))
    finding, = client.diagnostics[uri_of(project.source)]
    expect("new", finding["code"], "unclassified-operator")
    titles = [action["title"] for action in actions_at(client, project.source, 5, 14)]
    expect("an action", any("new_one" in title and "fp32" in title for title in titles), True)
    expect("status", client.stop(), 0)
    # Once committed, it needs no entry; compared with the commit before, it is new.
    project.source.write_text(project.source.read_text() + "REGISTER_OP(new_one);\n")
    subprocess.run(git + ["commit", "-qam", "two"], cwd=project.root, check=True)
    client = project.client("--against", "HEAD~1")
    client.start(project.root)
    client.open(project.source)
    client.wait_for(lambda: client.found(project.source))
    expect("status", client.stop(), 0)
    client = shown("--against", "none")
    client.settle()
    expect("compared with nothing", client.found(project.source), [])
    expect("status", client.stop(), 0)


def test_half_written_list(bin_folder, folder):
    """Unreadable text is reported at its place, and hides nothing else."""
    project = Project(bin_folder, folder, files={"src/a.cc": SOURCE + "REGISTER_OP(new_one);\n"})
    client = project.started()
    client.open(project.list)
    client.change(project.list, LIST.replace('"exp",', '"exp", "'), 2)
    client.wait_for(lambda: client.found(project.list))
    (problem,) = client.diagnostics[uri_of(project.list)]
    expect("its line", problem["range"]["start"]["line"], 5)
    expect("the other finding stays", client.found(project.source), [("unclassified-operator", 5)])
    client.change(project.list, LIST, 3)
    client.wait_for(lambda: not client.found(project.list))
    expect("status", client.stop(), 0)


def test_project_that_cannot_be_checked(bin_folder, folder):
    project = Project(bin_folder, folder, files={"src/a.cc": SOURCE + "REGISTER_OP(new_one);\n"})
    client = project.started()
    project.put("lists/float16.json", "[")
    client.save(project.source)
    client.wait_for(lambda: client.found(project.list))
    expect("nothing stale", client.found(project.source), [])
    shown = [each["params"] for each in client.messages if each.get("method") == "window/showMessage"]
    expect("it is reported", len(shown) == 1 and "lists/float16.json" in shown[0]["message"], True)
    project.put("lists/float16.json", LIST)
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri_of(project.list), "type": 2}]})
    client.wait_for(lambda: client.found(project.source))
    expect("again", (client.found(project.list), client.found(project.source)),
           ([], [("unclassified-operator", 5)]))
    expect("status", client.stop(), 0)


def test_folders_without_project(bin_folder, folder):
    project = Project(bin_folder, folder)
    (folder / "empty").mkdir()
    client = project.client()
    client.start(folder / "empty", project.root)
    client.wait_for(lambda: any(each.get("method") == "window/showMessage" for each in client.messages))
    (shown,) = [each["params"]["message"] for each in client.messages if each.get("method") == "window/showMessage"]
    expect("it names the folder and the remedy", str(folder / "empty") in shown and "opledger init" in shown, True)
    other = Project(bin_folder, folder, "other", {"src/a.cc": SOURCE + "REGISTER_OP(of_other);\n"})
    client.notify("workspace/didChangeWorkspaceFolders",
                  {"event": {"added": [{"uri": uri_of(other.root), "name": "o"}], "removed": []}})
    client.wait_for(lambda: client.found(other.source))
    client.notify("workspace/didChangeWorkspaceFolders",
                  {"event": {"added": [], "removed": [{"uri": uri_of(other.root), "name": "o"}]}})
    client.wait_for(lambda: not client.found(other.source))
    expect("status", client.stop(), 0)


def test_hover(bin_folder, folder):
    project = Project(bin_folder, folder, files={
        "src/a.cc": "/* é😀 */ " + SOURCE + "#ifdef X\nREGISTER_OP(new_one);\n#endif\n"})
    client = project.started()
    line = project.source.read_text().split("\n")[0]
    at = len(line[:line.index("matmul")].encode("utf-16-le")) // 2
    hover = ask_at(client, "hover", project.source, 0, at)
    expect("the range", hover["range"], {"start": {"line": 0, "character": at}, "end": {"line": 0, "character": at + 6}})
    expect("the policy", "- `float16` (union): **target**" in hover["contents"]["value"], True)
    text = ask_at(client, "hover", project.source, 2, 13)["contents"]["value"]
    expect("escaped", "a &#42;bold&#42; &#60;b&#62;note&#60;/b&#62; &#124; &#96;x&#96;" in text, True)
    expect("where it is registered", "[src/a.cc:3:13](file:///" in text and "%20project,%20"
           in text.replace("%2C", ","), True)
    text = ask_at(client, "hover", project.source, 5, 13)["contents"]["value"]
    expect("the condition", "if `defined(X)`" in text, True)
    expect("unclassified", "**unclassified**" in text, True)
    expect("nothing there", ask_at(client, "hover", project.source, 1, 2), None)
    expect("past the end", ask_at(client, "hover", project.source, 10**9, 10**9), None)
    client.open(project.list)
    text = ask_at(client, "hover", project.list, 9, 14)["contents"]["value"]
    expect("of a conditional entry", "- `fp32` if `kind` is `selu`" in text, True)
    expect("status", client.stop(), 0)
    plain = project.started(abilities={})
    hover = ask_at(plain, "hover", project.source, 2, 13)["contents"]
    expect("as text, what explain says", hover,
           {"kind": "plaintext", "value": project.run("explain", "log").stdout})
    expect("status", plain.stop(), 0)


def test_utf8_positions(bin_folder, folder):
    project = Project(bin_folder, folder, files={"src/a.cc": "/* é😀 */ REGISTER_OP(new_one);\n" + SOURCE})
    for encoding, length in (("utf-16", "utf-16-le"), ("utf-8", "utf-8")):
        client = project.started(abilities={"general": {"positionEncodings": [encoding, "utf-32"]}})
        (found,) = client.diagnostics[uri_of(project.source)]
        unit = len("a".encode(length))
        expect(encoding, found["range"]["start"]["character"],
               len("/* é😀 */ REGISTER_OP(".encode(length)) // unit)
        expect("status", client.stop(), 0)


def labels(result):
    return [item["label"] for item in result["items"]]


def test_completion(bin_folder, folder):
    project = Project(bin_folder, folder, files={"src/a.cc": SOURCE + "REGISTER_OP(new_one);\n"})
    client = project.started()
    client.open(project.list)
    version = 1

    def complete(text):
        """Returns the completions at the '|' of the text."""
        nonlocal version
        version += 1
        before, _, after = text.partition("|")
        client.change(project.list, before + after, version)
        return ask_at(client, "completion", project.list, before.count("\n"), len(before) - before.rfind("\n") - 1)

    start = '{"framework": "own", "target_dtype": "float16", '
    schema = json.loads((ROOT / "schemas/precision-list.schema.json").read_text())
    expect("operators, the new one first", labels(complete(start + '"fp32": ["|')),
           ["new_one", "act", "exp", "log", "matmul"])
    (item,) = complete(start + '"fp32": ["new|"]}')["items"]
    expect("replaces what is in the quotes", item["textEdit"], {
        "range": {"start": {"line": 0, "character": 58}, "end": {"line": 0, "character": 61}}, "newText": "new_one"})
    (item,) = complete(start + '"fp32": ["ne|, "exp"]}')["items"]
    expect("keeps the next name", item["textEdit"]["newText"], 'new_one"')
    expect("fields", set(labels(complete("{|}"))), set(schema["properties"]))
    expect("except those already present", "framework" in labels(complete(start + "|}")), False)
    expect("fields of an entry", set(labels(complete(start + '"fp32": [{"|'))),
           set(schema["$defs"]["entry"]["anyOf"][1]["properties"]))
    expect("reasons", labels(complete(start + '"fp32": [{"op": "exp", "reason": "|"}]}')),
           ["numeric", "no-kernel", "loss", "structure"])
    expect("policies", labels(complete(start + '"conditional": [{"op": "act", "then": "|')),
           ["target", "fp32", "widest", "either"])
    expect("types", labels(complete('{"target_dtype": "b|"}')), ["bfloat16"])
    expect("the framework", labels(complete('{"framework": |}')), ["own"])
    expect("nothing in a note", labels(complete(start + '"fp32": [{"op": "exp", "note": "|"}]}')), [])
    expect("nothing in a source", ask_at(client, "completion", project.source, 0, 0), None)
    client.open(project.root / "opledger.json")
    project_file = project.root / "opledger.json"
    expect("of the project file", "severities" in labels(ask_at(client, "completion", project_file, 0, 1)), True)
    expect("status", client.stop(), 0)


HARD_LISTS = {
    "lines": LIST,
    "CRLF": LIST.replace("\n", "\r\n"),
    "one line": json.dumps(json.loads(LIST), ensure_ascii=False),
    "other letters": LIST.replace('"exp",', '"exp", "é", "😀😀",'),
    "sorted, tabs": LIST.replace("  ", "\t").replace('"exp",', '"exp",\n\t\t"zz",'),
    "without the policy": LIST.replace('  "target": ["matmul"],\n', ""),
}


def test_classify_writes_what_classify_writes(bin_folder, folder):
    for name, text in HARD_LISTS.items():
        project = Project(bin_folder, folder, name, {"src/a.cc": SOURCE + "REGISTER_OP(new_one);\n",
                                                     "lists/float16.json": text})
        client = project.started()
        actions = [each for each in actions_at(client, project.source, 4, 14)
                   if each["title"].startswith("Classify 'new_one' as ")]
        expect("one for each policy", sorted(each["title"].split()[3] for each in actions),
               ["either", "fp32", "target", "widest"])
        for action in actions:
            expect("it resolves", [each["code"] for each in action["diagnostics"]], ["unclassified-operator"])
            uri, edits = edits_of(action)
            expect("of the list", uri, uri_of(project.list))
            project.list.write_bytes(text.encode())
            policy = action["title"].split()[3]
            done = project.run("classify", "new_one", "--as", policy, "--list", "float16")
            expect(f"classify {done.stderr}", done.returncode, 0)
            expect(f"{name}, as {policy}", applied(text, edits).encode(), project.list.read_bytes())
        project.list.write_bytes(text.encode())
        # The same for unsaved text.
        typed = text.replace('"matmul"', '"matmul" ')
        client.open(project.list, typed)
        action = next(each for each in actions_at(client, project.source, 4) if " as fp32 " in each["title"])
        project.list.write_bytes(typed.encode())
        project.run("classify", "new_one", "--as", "fp32", "--list", "float16")
        expect("of unsaved text", applied(typed, edits_of(action)[1]).encode(), project.list.read_bytes())
        expect("status", client.stop(), 0)


def test_classify_as_conditional(bin_folder, folder):
    """Inserts a clause to edit if values of an attribute are known; otherwise it would have no
    meaning."""
    dialect = {**DIALECT, "chain": [{"method": "Values", "field": "attribute_values", "key": 0, "value": 1}]}
    source = SOURCE + 'REGISTER_OP(fresh).Values("axis", "").Values("mode", "relu, elu");\nREGISTER_OP(plain);\n'
    project = Project(bin_folder, folder, files={"own.json": json.dumps(dialect), "src/a.cc": source})
    client = project.started()
    (action,) = [each for each in actions_at(client, project.source, 4) if " conditional " in each["title"]]
    expect("its title", action["title"], "Classify 'fresh' as conditional in float16: fp32 if mode is elu")
    before = project.list.read_text()
    done = project.run("classify", "fresh", "--as", "conditional", "--attribute", "mode", "--values", "elu",
                       "--then", "fp32", "--list", "float16")
    expect(f"classify {done.stderr}", done.returncode, 0)
    expect("as classify writes it", applied(before, edits_of(action)[1]), project.list.read_text())
    project.list.write_text(before)
    expect("without attributes", [each["title"] for each in actions_at(client, project.source, 5)
                                  if "conditional" in each["title"]], [])
    expect("status", client.stop(), 0)


def test_preferred_action(bin_folder, folder):
    names = [f"exp_{number}" for number in range(12)]
    entries = json.dumps({"framework": "own", "target_dtype": "float16", "fp32": names, "target": ["matmul"],
                          "either": ["act", "exp", "log"]})
    project = Project(bin_folder, folder, files={
        "src/a.cc": SOURCE + "".join(f"REGISTER_OP({name});\n" for name in [*names, "exp_new"]),
        "lists/float16.json": entries})
    client = project.started()
    actions = actions_at(client, project.source, 16)
    expect("the likeliest", [each["title"].split(" (")[0] for each in actions if each.get("isPreferred")],
           ["Classify 'exp_new' as fp32 in float16"])
    expect("it is the first", actions[0].get("isPreferred"), True)
    expect("none of another kind", actions_at(client, project.source, 16, only=["source"]), [])
    expect("those of its kind", len(actions_at(client, project.source, 16, only=["quickfix"])), 4)
    expect("status", client.stop(), 0)


def test_actions_in_lists(bin_folder, folder):
    text = LIST.replace('"exp",', '"exp",\n    "exp",\n    "gone",\n    "lgo",').replace('{"op": "log"', '{"op": "xyz"')
    project = Project(bin_folder, folder, files={"lists/float16.json": text})
    client = project.started()
    client.open(project.list)
    client.wait_for(lambda: client.found(project.list))
    stale = next(each for each in actions_at(client, project.list, 7, 6) if each["title"].startswith("Remove"))
    fixed = applied(text, edits_of(stale)[1])
    expect("the entry is removed", "gone" in fixed or fixed.count('"exp"') != 2, False)
    misspelt = actions_at(client, project.list, 8, 6)
    written = [each for each in misspelt if each["title"].startswith("Write")]
    expect("the right name", ['"log"' in applied(text, edits_of(each)[1]) for each in written], [True])
    move = next(each for each in actions_at(client, project.list, 5, 6) if each["title"] == "Move 'exp' to either")
    expect("its kind", move["kind"], "refactor.rewrite")
    project.run("classify", "exp", "--as", "either", "--list", "float16")
    expect("as classify moves it", applied(text, edits_of(move)[1]), project.list.read_text())
    expect("status", client.stop(), 0)


def test_fix_all(bin_folder, folder):
    text = LIST.replace('"exp",', '"exp", "gone", "exp",').replace('["matmul"]', '["matmul", "never"]')
    project = Project(bin_folder, folder, files={"lists/float16.json": text})
    client = project.started()
    client.open(project.list)
    (action,) = actions_at(client, project.list, 0, only=["source.fixAll"])
    fixed = applied(text, edits_of(action)[1])
    client.change(project.list, fixed, 2)
    again = actions_at(client, project.list, 0, only=["source.fixAll"])
    project.run("check", "--fix")
    expect("as check --fix", applied(fixed, edits_of(again[0])[1]) if again else fixed, project.list.read_text())
    expect("status", client.stop(), 0)


def test_classify_in_the_list(bin_folder, folder):
    """In the entries of a policy: offers operators that have none."""
    project = Project(bin_folder, folder, files={"src/a.cc": SOURCE + "REGISTER_OP(new_one);\n"})
    client = project.started()
    client.open(project.list)
    (action,) = [each for each in actions_at(client, project.list, 3, 14) if each["title"].startswith("Classify")]
    expect("its title", action["title"], "Classify 'new_one' as target")
    edits = edits_of(action)
    expect("of that version", action["edit"]["documentChanges"][0]["textDocument"]["version"], 1)
    project.run("classify", "new_one", "--as", "target", "--list", "float16")
    expect("as classify does it", applied(LIST, edits[1]), project.list.read_text())
    expect("none outside of a policy", actions_at(client, project.list, 1, 4), [])
    expect("status", client.stop(), 0)


def test_files_that_change_elsewhere(bin_folder, folder):
    project = Project(bin_folder, folder)
    client = project.started()
    asked = [each for each in client.messages if each.get("method") == "client/registerCapability"]
    expect("watchers", len(asked), 1)
    project.put("src/new.cc", "REGISTER_OP(checked_out);\n")
    client.notify("workspace/didChangeWatchedFiles",
                  {"changes": [{"uri": uri_of(project.root / "src/new.cc"), "type": 1}]})
    client.wait_for(lambda: client.found(project.root / "src/new.cc"))
    (project.root / "src/new.cc").unlink()
    client.save(project.source)
    client.wait_for(lambda: not client.found(project.root / "src/new.cc"))
    expect("status", client.stop(), 0)


def test_links(bin_folder, folder):
    """A folder opened through a link: locations use the editor's path."""
    project = Project(bin_folder, folder, files={"src/a.cc": SOURCE + "REGISTER_OP(new_one);\n"})
    (folder / "link").symlink_to(project.root)
    client = project.client()
    client.start(folder / "link")
    client.open(folder / "link/src/a.cc")
    client.wait_for(lambda: client.found(folder / "link/src/a.cc"))
    client.change(folder / "link/src/a.cc", SOURCE, 2)
    client.wait_for(lambda: not client.found(folder / "link/src/a.cc"))
    expect("status", client.stop(), 0)


def test_coalesces(bin_folder, folder):
    """A hundred changes at once cause one or two checks."""
    project = Project(bin_folder, folder)
    client = project.started()
    client.settle()
    client.messages.clear()
    for number in range(100):
        client.change(project.source, SOURCE + f"REGISTER_OP(typed_{number});\n", number + 2)
    client.wait_for(lambda: any("typed_99" in each["message"] for each in client.diagnostics[uri_of(project.source)]))
    published = [each for each in client.messages if each.get("method") == "textDocument/publishDiagnostics"]
    expect("number of reports", len(published) <= 2, True)
    expect("status", client.stop(), 0)


def error_of(client, number):
    return client.answer(number)["error"]["code"]


def test_protocol(bin_folder, folder):
    project = Project(bin_folder, folder)
    client = project.client()
    expect("before initialize", error_of(client, client.ask("textDocument/hover", {})), -32002)
    client.notify("textDocument/didOpen", {})
    client.start(project.root)
    expect("twice", error_of(client, client.ask("initialize", {})), -32600)
    expect("no such method", error_of(client, client.ask("textDocument/nothing", {})), -32601)
    client.notify("$/nothing", {})
    client.notify("textDocument/nothing", [])
    expect("no position", error_of(client, client.ask("textDocument/hover", {"textDocument": {}})), -32602)
    expect("an unknown document", ask_at(client, "hover", pathlib.Path("/nowhere"), 0, 0), None)
    number = client.next_id + 1
    body = json.dumps({"jsonrpc": "2.0", "id": number, "method": "textDocument/hover", "params": {}}).encode()
    cancel = json.dumps({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": number}}).encode()
    client.next_id += 1
    client.write(b"".join(b"Content-Length: %d\r\n\r\n" % len(each) + each for each in (body, cancel)))
    expect("cancelled", error_of(client, number), -32800)
    client.call("shutdown", None)
    expect("after shutdown", error_of(client, client.ask("textDocument/hover", {})), -32600)
    client.notify("exit", None)
    expect("status", client.end(), 0)


def test_ends(bin_folder, folder):
    project = Project(bin_folder, folder)
    client = project.started()
    client.notify("exit", None)
    expect("exit without shutdown", client.end(), 1)
    client = project.started()
    expect("a client that exits", client.end(), 1)
    client = project.client()
    expect("one that never connects", client.end(), 1)
    client = project.started()
    client.process.stdout.close()
    client.process.stdout = open(os.devnull, "rb")
    client.change(project.source, SOURCE + "REGISTER_OP(x);\n", 2)
    client.save(project.source)
    expect("one that does not read", client.end(), 1)
    project.expect_nothing_left()


HOSTILE = {
    "no length": b"X: 1\r\n\r\n", "negative": b"Content-Length: -1\r\n\r\n", "huge": b"Content-Length: 9" + b"9" * 30 + b"\r\n\r\n",
    "words": b"Content-Length: many\r\n\r\n", "twice": b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "no colon": b"hello\r\n\r\n", "charset": b"Content-Type: a; charset=latin1\r\nContent-Length: 2\r\n\r\n{}",
    "zeros": bytes(9000), "binary": bytes(range(256)) * 40, "empty": b"Content-Length: 0\r\n\r\n",
    "no JSON": b"Content-Length: 4\r\n\r\nnope", "not UTF-8": b'Content-Length: 4\r\n\r\n"\xff\xfe"',
    "deep": b"Content-Length: 100000\r\n\r\n" + b"[" * 100000, "batch": b"Content-Length: 2\r\n\r\n[]",
    "half a surrogate": b'Content-Length: 8\r\n\r\n"\\ud83d"', "version": b'Content-Length: 28\r\n\r\n{"jsonrpc":"1.0","method":1}',
    "id": b'Content-Length: 44\r\n\r\n{"jsonrpc":"2.0","id":{"a":[1]},"method":"a"}'[:66],
}


def test_hostile_input(bin_folder, folder):
    """Each message is answered by an error, after which the server goes on."""
    project = Project(bin_folder, folder)
    client = project.started()
    for name, data in HOSTILE.items():
        client.messages.clear()
        client.write(data)
        client.call("textDocument/hover", {"textDocument": {"uri": uri_of(project.source)},
                                           "position": {"line": 0, "character": 14}})
        errors = [each["error"]["code"] for each in client.messages if each.get("id", 0) is None]
        expect(f"{name}: one error", errors in ([-32700], [-32600]), True)
    changes = [{"range": {"start": {"line": 7, "character": 9}, "end": {"line": 2, "character": 10**15}}, "text": "x"},
               {"range": {"start": {"line": -1, "character": 0}, "end": {"line": 0, "character": 0}}, "text": "x"},
               {"range": 7, "text": "x"}, {"text": 5}, 7, {}]
    for change in changes:
        client.open(project.source)
        client.notify("textDocument/didChange", {"textDocument": {"uri": uri_of(project.source), "version": 2},
                                                 "contentChanges": [change]})
        client.notify("textDocument/didChange", {"textDocument": {"uri": uri_of(project.source)}})
    for uri in ("file://host/a.cc", "untitled:1", "file:///%zz", "file:///a%00b", "", "file:///" + "a/" * 3000):
        client.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "version": 1, "text": "x"}})
        client.call("textDocument/hover", {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}})
    expect("status", client.stop(), 0)
    project.expect_nothing_left()


def test_hostile_names(bin_folder, folder):
    """Names from lists and sources are shown as text."""
    name = "a](http://x) <b> `c` [d"
    project = Project(bin_folder, folder, files={
        "lists/float16.json": LIST.replace('"exp",', f'"exp", {json.dumps(name)},')})
    client = project.started()
    client.open(project.list)
    client.wait_for(lambda: client.found(project.list))
    text = ask_at(client, "hover", project.list, 5, 14)["contents"]["value"]
    expect("no link, no markup", "](http" in text or "<b>" in text, False)
    expect("status", client.stop(), 0)


def processes_in(folder):
    """Returns the scanners that run in the folder."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(process / "cwd") == str(folder) and b"opledger-scan" in (process / "cmdline").read_bytes():
                found.append(process.name)
        except OSError:
            pass
    return found


def test_end_while_it_scans(bin_folder, folder):
    """When a client exits, the server neither waits for a long scan nor leaves one running."""
    slow = "#define R(n) REGISTER_OP(op_##n)\n" + "".join(
        f"#define M{n}(x) M{n + 1}(x##0) M{n + 1}(x##1)\n" for n in range(14)) + "#define M14(x) R(x);\nM0(a)\n"
    project = Project(bin_folder, folder, files={f"src/slow_{n}.cc": slow for n in range(40)})
    client = project.client()
    client.start(project.root)
    until = time.monotonic() + 60
    while not processes_in(project.root) and time.monotonic() < until:
        time.sleep(0.01)
    expect("a scan runs", bool(processes_in(project.root)), True)
    client.wait_for(lambda: any(each.get("method") == "$/progress" for each in client.messages))
    (begin,) = [each["params"] for each in client.messages if each.get("method") == "$/progress"][:1]
    expect("its progress", (begin["token"], begin["value"]["kind"]), ("opledger/1", "begin"))
    before = time.monotonic()
    expect("status", client.end(), 1)
    while processes_in(project.root) and time.monotonic() < before + 10:
        time.sleep(0.05)
    expect("remaining processes", processes_in(project.root), [])
    expect("at once", time.monotonic() - before < 5, True)
    project.expect_nothing_left()


if __name__ == "__main__":
    sys.exit(main(globals()))
