#!/usr/bin/env python3
"""Scans malicious sources: each is reported as incomplete, or read like any other, in bounded time
and memory, and does not affect the rest of the tree. In both modes, with -j1 and -j2."""
# SPDX-License-Identifier: Apache-2.0

import itertools
import json
import os
import pathlib
import random
import sys
import threading
import time

import scanning
from scanning import Skip, Tree, expect, main, registering, sanitized, skip_part

FILE_SECONDS = 10  # per file; six times as much under sanitizers
SECONDS = 30  # additional time of a case on a busy machine
MEGABYTES = 900
GOOD = ["op_00", "op_01", "op_02"]


ROOT = pathlib.Path(__file__).resolve().parents[2]


def chain(length, step):
    """M0 -> M1 -> ... -> x, each the `step` of the next."""
    return "".join(f"#define M{i} {step.replace('@', f'M{i + 1}')}\n" for i in range(length)) + (
        f"#define M{length} x\n")


def scan(bin_folder, folder, files, names=(), incomplete=None, special=None,
         modes=("fast", "exhaustive"), seconds=FILE_SECONDS):
    """Scans `files` beside three ordinary units. `names`: other names that must be found; None:
    any. `incomplete`: path -> part of the message."""
    number = next(scan.numbers)
    slow = sanitized(bin_folder / "opledger-scan")
    if scanning.SAMPLE or slow:
        modes = modes[number % len(modes):][:1]
    seconds = 6 * seconds if slow else seconds
    for jobs, mode in enumerate(modes, 1):
        tree = Tree(folder / f"tree{number}-{mode}", {**registering(3), **files})
        if special:
            special(tree.folder)
        result = tree.scan(bin_folder / "opledger-scan", "--mode", mode, "-j", str(jobs),
                           "--no-cache", "--file-seconds", str(seconds), "--file-megabytes", "512")
        expect(result.status == (3 if incomplete else 0), mode, result.status, result.stderr[:1000])
        expect(result.seconds < SECONDS + seconds, mode, result.seconds, "s")
        expect(result.megabytes < MEGABYTES, mode, result.megabytes, "MB")
        if names is not None:
            expect(result.names == sorted([*GOOD, *names]), mode, result.names[:20])
        else:
            expect(set(GOOD) <= set(result.names), mode, result.names[:20])
        expect(set(result.incomplete) == set(incomplete or {}), mode, result.incomplete)
        for path, said in (incomplete or {}).items():
            expect(any(said in detail for detail in result.incomplete[path]), mode,
                   result.incomplete[path])
    return result


scan.numbers = itertools.count()


def test_macro_bombs_of_one_file(bin_folder, folder):
    bomb, said = chain(40, "@ @"), {"src/bad.cc": "contains a macro bomb: in line "}
    nested = "#define F(x) x x\nint a = " + "F(" * 40 + "1" + ")" * 40 + ";\n"
    for text in (bomb + "int a[] = {M0};\n",                       # registers nothing
                 bomb + "REGISTER_OP(bad).doc(M0);\n",             # in a registration
                 bomb + "int a[] = {M0};\nREGISTER_OP(bad);\n",    # before one
                 "REGISTER_OP(bad);\n" + bomb + "int a[] = {M0};\n",
                 nested, nested + "REGISTER_OP(bad);\n",
                 "#define F(x) x x\nREGISTER_OP(bad).doc(" + "F(" * 40 + '"1"' + ")" * 40 + ");\n",
                 chain(8, "@ @ @ @ @ @ @ @ @ @") + "M0\n"):
        scan(bin_folder, folder, {"src/bad.cc": text}, incomplete=said)
    # Unused, its macros do no harm.
    scan(bin_folder, folder, {"src/bad.cc": bomb + "REGISTER_OP(fine);\n"}, names=["fine"])


def test_macro_bombs_across_files(bin_folder, folder):
    header = {"include/bomb.h": chain(40, "@ @") + "#define ID(x) x\n#define F(x) x x\n"}
    include = '#include "bomb.h"\nREGISTER_OP(early);\n'
    for use in ("REGISTER_OP(bad).doc(M0);", "REGISTER_OP(bad).doc(ID(M0));"):
        scan(bin_folder, folder, {**header, "src/bad.cc": include + use}, names=None,
             incomplete={"src/bad.cc": "macro bomb?"})
    nested = include + "REGISTER_OP(bad).doc(" + "F(" * 40 + '"1"' + ")" * 40 + ");"
    if sanitized(bin_folder / "opledger-scan"):
        skip_part("the macro bomb of nested calls")
    else:
        scan(bin_folder, folder, {**header, "src/bad.cc": nested}, names=None,
             incomplete={"src/bad.cc": "MB of memory"})
    # Headers that no registration needs are not expanded, unless all are read.
    text = include + "int a[] = {M0};\nREGISTER_OP(late);\n"
    scan(bin_folder, folder, {**header, "src/bad.cc": text}, names=["early", "late"],
         modes=("fast",))
    scan(bin_folder, folder, {**header, "src/bad.cc": text}, names=None,
         incomplete={"src/bad.cc": "macro bomb?"}, modes=("exhaustive",))


def test_includes_that_are_no_source(bin_folder, folder):
    def fifo(path):
        return lambda root: (root / path).parent.mkdir(exist_ok=True) or os.mkfifo(root / path)
    scan(bin_folder, folder, {"src/bad.cc": '#include "pipe.h"\nREGISTER_OP(fine);\n'},
         names=["fine"], special=fifo("include/pipe.h"),
         incomplete={"include/pipe.h": "is not a regular file, but src/bad.cc includes it"})
    scan(bin_folder, folder, {}, special=fifo("src/pipe.cc"),
         incomplete={"src/pipe.cc": "is not a regular file"})
    scan(bin_folder, folder, {"src/bad.cc": '#include "/dev/zero"\nREGISTER_OP(fine);\n'},
         names=["fine"], incomplete={"/dev/zero": "is not a regular file"})
    # A computed #include is read as its macro's expansion.
    scan(bin_folder, folder,
         {"src/bad.cc": '#define PIPE "pipe.h"\n#include PIPE\nREGISTER_OP(fine);\n'},
         names=["fine"], special=fifo("include/pipe.h"),
         incomplete={"include/pipe.h": "is not a regular file, but src/bad.cc includes it"})
    result = scan(bin_folder, folder,
                  {"src/bad.cc": '#include "/etc/passwd"\n#include "/tmp"\n#include "../src"\n'
                                 '#include ""\nREGISTER_OP(fine);\n'}, names=["fine"])
    # Whether a file of that name exists is unknown.
    long = "x/" * 2_100
    scan(bin_folder, folder, {"src/bad.cc": f'#include "{long}"\nREGISTER_OP(fine);\n'},
         names=["fine"], modes=("fast",),
         incomplete={path + long.rstrip("/"): "File name too long" for path in ("", "include/", "src/")})
    expect("root" not in result.text and "root:" not in result.stderr, "prints /etc/passwd")


def test_links(bin_folder, folder):
    def links(root):
        (root / "src/loop.cc").symlink_to("loop.cc")
        (root / "src/gone.cc").symlink_to("nowhere.cc")
        (root / "src/down").symlink_to(".")
        (root / "include/loop.h").symlink_to("loop.h")
    said = "does not exist, or is a broken link"
    loop = {"src/fine.cc": '#include "loop.h"\nREGISTER_OP(fine);\n'}
    common = {"src/loop.cc": "cannot be examined", "src/gone.cc": said,
              "include/loop.h": "cannot be examined"}
    scan(bin_folder, folder, loop, names=["fine"], special=links, modes=("fast",), incomplete=common)
    scan(bin_folder, folder, loop, names=None, special=links, modes=("exhaustive",),
         incomplete={**common, "src/fine.cc": "cannot be examined"})


def test_endless_includes(bin_folder, folder):
    said = "includes itself without end"
    fine = "REGISTER_OP(fine);\n"
    for text in ('#include "bad.cc"\n', '#if 1\n#include "bad.cc"\n#endif\n'):
        scan(bin_folder, folder, {"src/bad.cc": text + fine}, names=["fine"],
             incomplete={"src/bad.cc": said})
    headers = {"include/a.h": '#include "b.h"\n', "include/b.h": '#include "a.h"\n'}
    scan(bin_folder, folder, {**headers, "src/fine.cc": '#include "a.h"\n' + fine}, names=["fine"],
         incomplete={"include/a.h": said, "include/b.h": said})
    for guarded in ('#pragma once\n#include "b.h"\n',
                    '#ifndef A_H\n#define A_H\n#include "b.h"\n#endif\n',
                    '#ifndef A_H\n#include "b.h"\n#endif\nint more;\n'):
        scan(bin_folder, folder, {**headers, "include/a.h": guarded,
                                  "src/fine.cc": '#include "a.h"\n' + fine}, names=["fine"])
    # 2^40 sequential inclusions.
    double = {f"include/i{i}.h": f'#include "i{i + 1}.h"\n' * 2 for i in range(40)}
    double["include/i40.h"] = "int x;\n"
    scan(bin_folder, folder, {**double, "src/fine.cc": '#include "i0.h"\n' + fine}, names=["fine"],
         modes=("fast",))
    scan(bin_folder, folder, {**double, "src/bad.cc": '#include "i0.h"\n' + fine}, names=None,
         incomplete={"src/bad.cc": ""}, modes=("exhaustive",), seconds=2)


def test_arbitrary_bytes(bin_folder, folder):
    source = random.Random(20221205)
    for size in (1_000, 30_000, 1_000_000):
        for with_nul in (True, False):
            noise = source.randbytes(size)
            if not with_nul:
                noise = noise.replace(b"\0", b"\1")
            said = "so it is not source text"
            scan(bin_folder, folder, {"src/bad.cc": noise, "include/bad.h": noise,
                                      "src/fine.cc": '#include "bad.h"\nREGISTER_OP(fine);\n'},
                 names=["fine"], incomplete={"src/bad.cc": said, "include/bad.h": said})
    # Text in no valid encoding, or in others than UTF-8, is read as text.
    latin = 'REGISTER_OP(fine);  // \xe4\xf6\xfc\n'.encode("latin-1")
    scan(bin_folder, folder, {"src/fine.cc": latin}, names=["fine"])
    scan(bin_folder, folder, {"src/bad.cc": "REGISTER_OP(wide);\n".encode("utf-16")},
         incomplete={"src/bad.cc": "contains NUL bytes"})
    # Scrambled real code: whatever the result, nothing else is affected.
    code = b'#define A(x) REGISTER_OP(x)\n#if B\nA(y).doc("z")\n#else\nR"x(\n#endif\n;//\\\n/*'
    for _ in range(10 if scanning.SAMPLE else 100):
        text = bytes(source.choice(code) for _ in range(2_000))
        tree = Tree(folder / "noise", {**registering(3), "src/noise.cc": text})
        result = tree.scan(bin_folder / "opledger-scan", "--no-cache", "--file-seconds", "10")
        expect(result.status in (0, 3) and set(GOOD) <= set(result.names), text, result.stderr)


def test_deep_and_long(bin_folder, folder):
    deep, fine = 200_000, "REGISTER_OP(fine);\n"
    for text in ("int a = " + "(" * deep + "1" + ")" * deep + ";\n" + fine,
                 "void f() " + "{" * deep + "}" * deep + "\n" + fine,
                 "REGISTER_OP(fine).doc(" + "(" * deep + '"1"' + ")" * deep + ");\n",
                 "REGISTER_OP(fine).doc" + "<" * deep + ">" * deep + "(1);\n",
                 "constexpr int f(int n) { for (;;) n += n; return n; }\n"
                 "constexpr int x = f(1);\n" + fine,
                 "int a = 0" + " + 1" * 2_000_000 + ";\n" + fine,
                 "".join(f"#define M{i} {i}\n" for i in range(200_000)) + fine,
                 "#define P " + " ## ".join(f"a{i}" for i in range(deep)) + "\n" + fine,
                 "#define P(" + ", ".join(f"a{i}" for i in range(deep)) + ") "
                 + " ".join(f"a{i}" for i in range(deep)) + "\n" + fine,
                 chain(deep, "@") + fine):
        scan(bin_folder, folder, {"src/fine.cc": text}, names=["fine"])
    # Clang 19 would overflow its stack on this one.
    tree = Tree(folder / "paste", {**registering(3), "src/bad.cc": "#define P(a) " + " ## ".join(
        ["a"] * 1_000_000) + "\nint x = P(b);\n" + fine})
    result = tree.scan(bin_folder / "opledger-scan", "--no-cache", "--file-seconds", "10",
                       may_crash=True)
    expect(set(GOOD) <= set(result.names) and result.seconds < SECONDS, result.stderr)
    expect(("fine" in result.names) == ("src/bad.cc" not in result.incomplete), result.incomplete)
    for said, text in (("100 deep", "#if A\n" * deep + fine + "#endif\n" * deep),
                       ("1,000 branches", "#if A\n" + "#elif B\n" * deep + fine + "#endif\n"),
                       ("50,000 conditionals", "#if A\n#endif\n" * deep + fine),
                       ("64 kB", "#if " + "A + " * deep + "A\n#endif\n" + fine),
                       ("250,000 macros", "#define A\n" * 1_000_000 + fine),
                       ("20,000 #includes", '#include "a.h"\n' * deep + fine),
                       ("50,000 names", "REGISTER_X(a)\n" * deep + fine),
                       ("larger than 64 MB", "int a = 0" + " + 1" * 25_000_000 + ";\n" + fine)):
        scan(bin_folder, folder, {"src/bad.cc": text}, incomplete={"src/bad.cc": said})


def test_kernel_functions(bin_folder, folder):
    """Types that kernels choose from are followed through blocks, branches, lambdas and calls."""
    choice = 'AT_DISPATCH_FLOATING_TYPES(self.scalar_type(), "x", [&] {'
    body = choice + "});"
    native = "aten/src/ATen/native/"
    texts = {
        "deep": "{" * 100000 + body + "}" * 100000, "ifs": "if (self == kHalf) " * 50000 + body,
        "elses": ("if (self == kHalf) {" + body + "} else ") * 10000 + body, "many": body * 30000,
        "lambdas": choice * 10000 + "});" * 10000, "open": "AT_DISPATCH_FLOATING_TYPES(" * 50000,
    }
    files = {native + f"{name}.cpp": f"Tensor {name}(const Tensor& self) {{{text}}}\n" for name, text in texts.items()}
    calls = "".join(f"Tensor f{i}(const Tensor& self) {{ {f'f{i + 1}(self);' * 4} }}\n" for i in range(100))
    files[native + "calls.cpp"] = calls
    files[native + "cut.cpp"] = "REGISTER_DISPATCH()REGISTER_DISPATCH(a,)TORCH_IMPL_FUNC()(){}TORCH_IMPL_FUNC(x)(y){"
    files["dialect.json"] = (ROOT / "registry/dialects/pytorch.json").read_text()
    files[native + "native_functions.yaml"] = "- func: a(Tensor self) -> Tensor\n  dispatch:\n    CPU: f0\n"
    result = Tree(folder / "tree", files).scan(bin_folder / "opledger-scan", "--no-cache")
    expect(result.status == 0 and result.names == ["aten::a"], result.stderr)
    expect(result.seconds < 20 or sanitized(bin_folder / "opledger-scan"), result.seconds, "s")


def test_the_parent_is_bounded(bin_folder, folder):
    """The work that one file causes in the process that reads all of them."""
    scan(bin_folder, folder, {"src/many.cc": "REGISTER_OP(again);\n" * 40_000}, names=["again"])
    calls = "".join(f'.set_attr<F>("k{i}", v{i})\n' for i in range(20_000))
    scan(bin_folder, folder, {"src/long.cc": f"REGISTER_OP(long_one){calls};\n"}, names=["long_one"])
    # A response file that includes itself 600 times, 600^4 words.
    tree = Tree(folder / "response", {**registering(3), "flags": "@flags " * 600})
    (tree.folder / "compile_commands.json").write_text(json.dumps(
        [{"directory": str(tree.folder), "file": "src/unit_00.cc", "command": "g++ @flags -c src/unit_00.cc"}]))
    result = tree.scan(bin_folder / "opledger-scan", "--no-cache", "-p", ".")
    expect(result.status == 3 and result.seconds < SECONDS, result.status, result.seconds)
    expect("does a response file (@FILE) include itself?" in result.stderr, result.stderr)


def test_chains_of_macros(bin_folder, folder):
    """The process itself builds the index, not workers, so it must not be slow for any input."""
    long = chain(100_000, "@").replace("#define M100000 x", "#define M100000 REGISTER_OP")
    scan(bin_folder, folder, {"src/a.cc": long + "REGISTER_OP(fine);\n"}, names=["fine"])
    scan(bin_folder, folder, {"include/a.h": long,
                              "src/a.cc": '#include "a.h"\nREGISTER_OP(fine);\n'}, names=["fine"])
    names = [f"REGISTER_{i}" for i in range(40_000)]
    table = "".join(f"#define {name}(a) a\n" for name in names)
    uses = "".join(f"{name}(a)\n" for name in names)
    scan(bin_folder, folder, {"include/a.h": table, "src/a.cc": '#include "a.h"\n' + uses},
         incomplete={"src/a.cc": "its definition in include/a.h leads to no sink"})
    result = scan(bin_folder, folder, {"src/a.cc": uses},
                  incomplete={"src/a.cc": "(and 39900 more in this file)"})
    expect(len(result.incomplete["src/a.cc"]) == 100)


def test_unterminated(bin_folder, folder):
    fine, late = "REGISTER_OP(fine);\n", "REGISTER_OP(late);\n"
    for said, text in (("within a comment", fine + "/* " + late),
                       ("within a raw string", fine + 'const char* s = R"x(' + late),
                       ("within a raw string", fine + 'const char* s = u8R"x(' + late)):
        scan(bin_folder, folder, {"src/bad.cc": text}, incomplete={"src/bad.cc": said})
    for text in (fine + 'const char* s = "abc\n' + late, fine + "char c = 'abc\n" + late,
                 fine + "#if A\n" + late, fine + "#endif\n" + late, fine + late + "// end \\\n/* of"):
        scan(bin_folder, folder, {"src/bad.cc": text}, names=["fine", "late"])


def test_carriage_returns(bin_folder, folder):
    text = "#define A(x) \\\n REGISTER_OP(x)\nA(fine);\n#if B\nREGISTER_OP(late);\n#endif\n"
    for end in ("\r", "\r\n", "\n"):
        scan(bin_folder, folder, {"src/fine.cc": text.replace("\n", end)}, names=["fine", "late"])


def test_unreadable(bin_folder, folder):
    if os.geteuid() == 0:
        raise Skip("the superuser can read every file")
    scan(bin_folder, folder, {"src/bad.cc": "REGISTER_OP(bad);\n"},
         special=lambda root: (root / "src/bad.cc").chmod(0),
         incomplete={"src/bad.cc": "cannot be read"})


def test_files_change_during_the_scan(bin_folder, folder):
    """Every reported fact was true at some moment, and no wrong one is cached."""
    units = registering(60)
    tree = Tree(folder / "tree", {**units, "include/part.h": "#define PART REGISTER_OP\n",
                                   "src/user.cc": '#include "gone.h"\n#include "part.h"\n'})
    stop = threading.Event()

    def replace(name, text):
        beside = tree.folder / "beside"
        beside.write_text(text)
        beside.replace(tree.folder / name)

    def edit():
        source, turn = random.Random(7), 0
        while not stop.is_set():
            name, turn = source.choice(list(units)), turn + 1
            text = '#include "part.h"\nPART(other);\n' if turn % 2 else "// " + "x" * turn + "\n"
            replace(name, text + units[name])
            replace("include/part.h", f"#define PART REGISTER_OP  // {turn}\n")
            for gone in ("src/gone.cc", "include/gone.h"):
                replace(gone, "REGISTER_OP(gone);\n")
                (tree.folder / gone).unlink()
            time.sleep(0.0005)

    editor = threading.Thread(target=edit)
    editor.start()
    try:
        for turn in range(8 if scanning.SAMPLE else 30):
            mode = ("fast", "exhaustive")[turn % 2]
            result = tree.scan(bin_folder / "opledger-scan", "--mode", mode, "-j", "2")
            expect(result.status in (0, 3), result.status, result.stderr)
            missing = {f"op_{i:02}" for i in range(60)} - set(result.names)
            told = {f"op_{path[9:11]}" for path in result.incomplete if path.startswith("src/unit_")}
            expect(missing <= told, missing, result.incomplete)
    finally:
        stop.set()
        editor.join()
    tree.write({**units, "include/part.h": ""})
    for mode in ("fast", "exhaustive"):
        cached = tree.scan(bin_folder / "opledger-scan", "--mode", mode)
        anew = tree.scan(bin_folder / "opledger-scan", "--mode", mode, "--no-cache")
        expect(cached.status == 0 and cached.text == anew.text, mode, cached.stderr)


if __name__ == "__main__":
    sys.exit(main(globals()))
