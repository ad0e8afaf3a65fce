"""Plants bugs in the sources: compiles the unit of a source with a bug, using ninja's commands, and
links programs with that object. For the tests planted_bugs in tests/house and tests/scan."""
# SPDX-License-Identifier: Apache-2.0

import pathlib
import shlex
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]


def mutated(name, bug):
    """Returns the text of a source with a bug. `bug`: a file below the root, a text that must occur
    there once, and its replacement."""
    file, was, becomes = bug
    text = (ROOT / file).read_text(encoding="utf-8")
    if text.count(was) != 1:
        raise SystemExit(f"{name}: stands {text.count(was)} times in {file}, not once:\n{was}")
    return text.replace(was, becomes)


class Build:
    def __init__(self, folder, scratch):
        self.folder, self.scratch = folder, scratch

    def commands(self, program):
        """Returns the commands that compile the sources of a program and the one that links it,
        each as a list of words."""
        lines = subprocess.run(["ninja", "-C", self.folder, "-t", "commands", f"bin/{program}"], capture_output=True,
                               text=True, check=True).stdout.splitlines()
        link = next(part for line in lines for part in line.split(" && ") if f" -o bin/{program} " in part)
        return [shlex.split(line) for line in lines if " -c " in line], shlex.split(link)

    def compile(self, name, bug, compiles):
        """Writes the object with the bug; returns the path of the object that it replaces."""
        file = ROOT / bug[0]
        source = self.scratch / "planted.cpp"
        source.write_text(mutated(name, bug), encoding="utf-8")
        for command in compiles:
            unit = pathlib.Path(command[-1])
            together = unit.read_text(encoding="utf-8")
            if unit == file or f'#include "{file}"' in together:
                planted = source
                if unit != file:  # with the files whose calls may be inlined
                    planted = self.scratch / "planted.cxx"
                    planted.write_text(together.replace(str(file), str(source)), encoding="utf-8")
                words = command[:command.index("-MD")] + ["-O0", "-w", f"-I{file.parent}"]
                subprocess.run([*words, "-o", self.scratch / "planted.o", "-c", planted], cwd=self.folder, check=True)
                return command[command.index("-o") + 1]
        raise SystemExit(f"no command compiles {file}")

    def link(self, program, link, replaced, made):
        """Links the program with the bug: the new object replaces the old one, or precedes the
        library that contains it."""
        first = next(i for i, word in enumerate(link) if word.endswith((".o", ".a")))
        words = [*link[:first], "-Wl,--allow-multiple-definition", self.scratch / "planted.o",
                 *(word for word in link[first:] if word != replaced)]
        words = [made / program if word == f"bin/{program}" else word for word in words]
        (made / program).unlink(missing_ok=True)
        subprocess.run(words, cwd=self.folder, check=True, capture_output=True)


def run(bugs, options, judge):
    """Checks that all bugs can be planted. With --mutants, prints what `judge(name)` says caught
    each of --only. Returns exit status 1 if it returns nothing for one of them."""
    for name, bug in bugs.items():
        mutated(name, bug)
    missed = 0
    for name in options.only if options.mutants else ():
        caught = judge(name)
        missed += not caught
        print(f"{name:55} {caught or 'MISSED'}", flush=True)
    return 1 if missed else 0
