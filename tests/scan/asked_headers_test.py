#!/usr/bin/env python3
"""Headers that appear and disappear: the cache depends on what units request through __has_include,
#include and links. After each of --count random edits, the result equals that of a scan without a
cache."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import os
import pathlib
import random
import shutil
import sys
import tempfile

from scanning import Tree, expect

# the last is not a folder at first
FOLDERS = ["src", "src/deep", "include", "include/deep", "late"]
NAMES = ["a.h", "b.h", "deep/c.h", "d.h"]


class Edits:
    def __init__(self, folder, seed):
        self.random = random.Random(seed)
        self.tree = Tree(folder, {f"src/unit_{i}.cc": self.unit(i) for i in range(4)})
        self.tree.write({"dialect.json": (self.tree.folder / "dialect.json").read_text().replace(
            '"include_directories": ["include"]', '"include_directories": ["include", "late"]')})
        self.folder = self.tree.folder

    def name(self):
        name = self.random.choice(NAMES)
        return self.random.choice([f'"{name}"', f"<{name}>", f'"../{name}"'])

    def unit(self, number):
        pieces = []
        for _ in range(self.random.randrange(1, 5)):
            name, other = self.name(), self.random.choice("xyz")
            pieces.append(self.random.choice([
                f"#if __has_include({name})\n#include {name}\nREGISTER_OP(with_{number}{other});\n"
                f"#else\nREGISTER_OP(without_{number}{other});\n#endif\n",
                f"#if defined(HAS_{other}) && __has_include({name})\nREGISTER_OP(asks_{number}{other});\n#endif\n",
                f"#define ASKS_{number}(x) __has_include(x)\n#if ASKS_{number}({name})\n#include {name}\n"
                f"REGISTER_OP(macro_{number}{other});\n#endif\n#undef ASKS_{number}\n",
                f"#include {name}\n#ifdef HAS_{other}\nREGISTER_OP(has_{number}{other});\n#endif\n",
                f"#include {name}\n#ifdef MAKE_{other}\nMAKE_{other}({number})\n#endif\n",
                f"#include HEADER_{other}\nREGISTER_OP(named_{number}{other});\n",
                f"MAKE_{other}(own_{number})\n",
                f"REGISTER_OP(plain_{number}{other});\n",
            ]))
        return "".join(pieces)

    def header(self):
        name, letter = self.name(), self.random.choice("xyz")
        return self.random.choice([
            f"#pragma once\n#define HAS_{letter} 1\n",
            f"#pragma once\n#define MAKE_{letter}(n) REGISTER_OP(made_##n);\n",
            f"#pragma once\n#if __has_include({name})\n#include {name}\n#define HAS_{letter}\n#endif\n",
            f"#pragma once\n#include {name}\n",
            f"#pragma once\n#define HEADER_{letter} {name.replace('../', '')}\n",
            f"MAKE_{letter}(table)\nREGISTER_OP(table_{letter});\n",
            f"#if __has_include_next({name})\nREGISTER_OP(next_{letter});\n#endif\n",
            f"#if !__has_include({name})\nMAKE_{letter}(absent)\n#endif\n",
            "#pragma once\n",
        ])

    def path(self):
        return self.folder / self.random.choice(FOLDERS) / self.random.choice(NAMES)

    def write(self, path, text):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_symlink() or path.is_dir():
                return
            path.write_text(text)
        except (FileExistsError, NotADirectoryError):
            return
        self.tree.write({str(path.relative_to(self.folder)): text})

    def build(self):
        """Writes a build folder that lists the units, with a folder of headers that the dialect
        does not name."""
        commands = [{"directory": str(self.folder), "file": f"src/unit_{i}.cc",
                     "command": f"g++ {self.random.choice(['-I', '-iquote '])}src/deep -c src/unit_{i}.cc"}
                    for i in range(4)]
        self.tree.write({"build/compile_commands.json": json.dumps(commands)})

    def step(self):
        """Makes a random edit; returns its description for the message."""
        while (done := self.try_step()) is None:
            pass
        return done

    def try_step(self):
        kind, path = self.random.randrange(9), self.path()
        there = os.path.lexists(path)
        if kind < 3 and not there:
            self.write(path, self.header())
            return "made", path
        if kind < 5 and there:
            path.unlink() if not path.is_dir() or path.is_symlink() else shutil.rmtree(path)
            return "removed", path
        if kind == 5:
            unit = self.random.randrange(4)
            self.tree.write({f"src/unit_{unit}.cc": self.unit(unit)})
            return "changed", unit
        # of the same size, with the same time
        if kind == 6 and path.is_file() and not path.is_symlink():
            before = path.stat()
            text = path.read_text()
            path.write_text(text.replace("HAS_x", "HAS_t").replace("HAS_y", "HAS_x").replace("HAS_t", "HAS_y"))
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
            return "turned", path
        if kind == 7 and not there and path.parent.is_dir():
            target = self.path() if self.random.randrange(4) else path  # itself: it cannot be examined
            path.symlink_to(os.path.relpath(target, path.parent))  # the target may be missing
            return "linked", path, target
        if kind == 8 and there and not path.is_dir():
            other = self.path()
            if not os.path.lexists(other) and other.parent.is_dir():
                path.rename(other)
                return "renamed", path, other
        return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    program = options.bin.resolve() / "opledger-scan"
    different = 0
    outcomes = set()
    with tempfile.TemporaryDirectory() as folder:
        for tree in range((options.count + 39) // 40):
            edits = Edits(pathlib.Path(folder).resolve() / str(tree) / "tree", 1000 * options.seed + tree)
            done = []
            for _ in range(min(40, options.count - 40 * tree)):
                done.append(edits.step())
                mode = ["--mode", "exhaustive"] if edits.random.randrange(3) == 0 else []
                if edits.random.randrange(5) == 0:
                    edits.build()
                    mode += ["-p", "build"]
                warm, cold = edits.tree.scan(program, *mode), edits.tree.scan(program, *mode, "--no-cache")
                outcomes.add(cold.text)
                if (warm.status, warm.text, warm.stderr) != (cold.status, cold.text, cold.stderr):
                    different += 1
                    print(f"tree {tree} differs after {done[-3:]} {mode}: {warm.status} {warm.stderr[:300]}\n"
                          f"cold: {cold.status} {cold.stderr[:300]}")
                    break
    print(f"{options.count} edits, {different} differ, {len(outcomes)} results")
    expect(len(outcomes) > options.count / 20, "too few kinds of edits")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
