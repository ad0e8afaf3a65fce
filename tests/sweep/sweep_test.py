#!/usr/bin/env python3
"""Runs every verb on a small project and makes each system call of its processes fail once with
each plausible error, transfer one byte, be interrupted, or get a signal. Then: the exit status is
that of a healthy run, or 2 or 3 with a message; the output is that of a healthy run, or the status
says that it is not; files are old or new; no temporary file remains; and the next run, on the
remaining files and cache, prints the same as with an empty cache.

    tests/sweep/sweep_test.py --bin build/bin [--verb check ...] [--call mmap] [--part signals] [--results FILE]
    tests/sweep/sweep_test.py --bin build/bin --sample 20 [--faults 500] [--seed 20240131]
    tests/sweep/sweep_test.py --bin build/bin --replay 'check 0 0.1:openat:5:EIO'

With --results, a stopped sweep continues. Calls of other programs (git) do not fail; these run
normally or are killed.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import collections
import datetime
import errno
import json
import multiprocessing
import os
import pathlib
import pty
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

import commands
import failures

SECONDS = 30
VARYING = re.compile(rb"[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?( *[mun\xc2\xb5]?s\b)?| {2,}")
# Source lines under a finding, which are left out if the source cannot be read again.
QUOTES = re.compile(rb"^ +[0-9]+ \| .*\n|^ +\| +[~^]+\r?\n", re.MULTILINE)
Call = collections.namedtuple("Call", "process program name number loader result about")
Result = collections.namedtuple("Result", "status ending stdout stderr files")
Case = collections.namedtuple("Case", "verb index")  # index of a command in commands.COMMANDS
Fault = collections.namedtuple("Fault", "case process call number action about")


def text_of(fault):
    return f"{fault.case.verb} {fault.case.index} {fault.process}:{fault.call}:{fault.number}:{fault.action}"


class Command:
    """One of commands.COMMANDS: its words and how it runs."""

    def __init__(self, case):
        line = commands.COMMANDS[case.verb][case.index]
        how, colon, words = line.partition(": ")
        how = how.split() if colon else []
        self.words = (words if colon else line).split()
        self.warm, self.typed, self.varies = "warm" in how, "pty" in how, "varies" in how
        self.offers = "offers" in how
        self.folder = how[how.index("in") + 1] if "in" in how else "."
        self.verb = case.verb


class Project:
    """A folder of files that commands run on, which can be reset to its first state."""

    def __init__(self, programs, folder):
        self.programs, self.top = programs, folder
        self.folder, self.cache, self.temporary = folder / "project", folder / "cache", folder / "tmp"
        for each in (self.folder, self.temporary):
            each.mkdir()
        self.environment = commands.environment_of(programs, folder)
        commands.make_project(programs, self.folder, self.environment)
        self.folders, self.calls = set(), []
        self.met = None  # the call that failed last
        self.session = commands.session(self.folder)
        self.first = self.files()
        self.first_folders = self.folders
        self.warm = {}  # case -> the cache that a healthy run leaves
        self.known = {}  # (case, files) -> output of a healthy run with an empty cache
        self.right = set()  # cases, files and caches with which a run was correct

    def files(self):
        found, self.folders = {}, set()
        for folder, folders, names in os.walk(self.folder):
            self.folders.add(folder)
            folders[:] = [each for each in folders if each != ".git"]
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, self.folder)] = file.read()
        return found

    def restore(self, files):
        now = self.files()
        for name in now.keys() - files.keys():
            (self.folder / name).unlink()
        for name, content in files.items():
            if now.get(name) != content:
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                (self.folder / name).write_bytes(content)
        for folder in sorted(self.folders - self.first_folders, reverse=True):
            if not os.listdir(folder):
                os.rmdir(folder)

    def set_cache(self, saved=None):
        shutil.rmtree(self.cache, ignore_errors=True)
        if saved:
            shutil.copytree(saved, self.cache)

    def begin(self, case):
        """Restores the files and the cache from before the command."""
        self.restore(self.first)
        if Command(case).warm and case not in self.warm:
            self.set_cache()
            self.run(case)
            self.restore(self.first)
            self.warm[case] = self.top / f"warm-{case.verb}-{case.index}"
            shutil.copytree(self.cache, self.warm[case])
        self.set_cache(self.warm.get(case))
        for each in self.temporary.iterdir():
            shutil.rmtree(each) if each.is_dir() else each.unlink()

    def run(self, case, *options):
        """Returns the result of the command; with options, runs it under opledger-fail-call."""
        command = Command(case)
        words = [self.programs / "opledger", *command.words]
        report = self.top / "report"
        if options or command.typed:
            tracer = self.programs / "opledger-fail-call"
            words = [tracer, "--report", report, "--folder", self.top, "--seconds", str(SECONDS), *options, "--", *words]
        process, said = self.start(command, words)
        calls = report.read_text(errors="replace").splitlines() if options or command.typed else []
        ending = " ".join(line.split("\t", 1)[1].replace("\t", " ") for line in calls if line.startswith("end"))
        self.calls = [Call(*line.split("\t", 6)) for line in calls if not line.startswith("end")]
        clean = [self.clean(command, each) for each in said]
        files = {name: self.clean(command, content) if command.varies and self.first.get(name) != content else content
                 for name, content in self.files().items()}
        return Result(process.returncode, ending, *clean, files)

    def start(self, command, words):
        how = {"cwd": self.folder / command.folder, "env": self.environment, "stderr": subprocess.PIPE}
        if command.typed:
            return self.type_at(words, how)
        given = self.session if command.verb == "lsp" else b""
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **how) as process:
            return process, process.communicate(given, timeout=2 * SECONDS)

    @staticmethod
    def type_at(words, how):
        """Types each answer after a prompt, and the reason of a choice after its own prompt."""
        ours, theirs = pty.openpty()
        answers, shown = [b"2\n", b"u\n", b"1\n"], []

        def talk():
            while True:
                try:
                    shown.append(os.read(ours, 65536))
                except OSError:  # it has ended
                    return
                said = b"".join(shown[-4:])
                if said.endswith(b"out): "):
                    os.write(ours, b"measured\n")
                elif said.endswith(b"quit: "):
                    os.write(ours, answers.pop(0) if answers else b"q\n")

        with subprocess.Popen(words, stdin=theirs, stdout=theirs, **how) as process:
            os.close(theirs)
            talker = threading.Thread(target=talk)
            talker.start()
            stderr = process.stderr.read()
            talker.join()
        os.close(ours)
        return process, (b"".join(shown), stderr)

    def clean(self, command, said):
        said = said.replace(os.fsencode(self.top), b"TOP")
        if command.verb == "lsp":  # in any order
            said = b"\n".join(sorted(re.split(rb"Content-Length: \d+\r\n\r\n", said)))
        return re.sub(VARYING, b"#", said) if command.varies else said

    def expected(self, case, files):
        """Returns the output of a healthy run on these files with an empty cache."""
        key = (case, hash(frozenset(files.items())))
        if key not in self.known:
            self.restore(files)
            self.set_cache()
            self.known[key] = self.run(case)
        return self.known[key]

    def cached(self):
        return {str(path): path.read_bytes() for path in self.cache.rglob("*") if path.is_file()}

    def next_is_right(self, case):
        """Returns whether a run on the remaining files and cache equals one with an empty cache."""
        files = without_temporaries(self.files())
        key = (case, frozenset(files.items()), frozenset(self.cached().items()))
        if key not in self.right:
            after = self.run(case)
            # The next write removes the temporary files of a killed run.
            after = after._replace(files=without_temporaries(after.files))
            if not same(after, self.expected(case, files)):
                return False
            self.right.add(key)
        return True

    def left_over(self):
        """Returns temporary files, anywhere."""
        found = [str(path) for folder in (self.folder, self.cache) for path in folder.rglob("*opledger-tmp*")]
        return sorted(found + [str(path) for path in self.temporary.rglob("*")])


def is_json(content):
    try:
        return bool(json.loads(content or b""))
    except ValueError:
        return False


def without_temporaries(files):
    return {name: content for name, content in files.items() if "opledger-tmp" not in name}


def same(one, other):
    return (one.status, one.stdout, one.files) == (other.status, other.stdout, other.files)


def unquoted(result):
    return result._replace(stdout=re.sub(QUOTES, b"", result.stdout))


def says(result):
    """Returns whether the result reports that something was not done."""
    new = b"".join(content for name, content in result.files.items() if name.startswith("out"))
    return (re.search(rb"warning|error|incomplete|cannot", result.stderr) or b"incomplete" in result.stdout + new
            or b"window/showMessage" in result.stdout or b"stopped early" in result.stdout)


def status_problem(fault, healthy, failed):
    if "hang" in failed.ending or "left" in failed.ending:
        return "hangs" if "hang" in failed.ending else "a process outlives the command"
    signalled = fault.action in failures.SIGNALS
    if "signal" in failed.ending and not signalled:
        return f"ends by {failed.ending}"
    if signalled and ("signal" in failed.ending or failed.status in (130, 143)):
        return ""
    # The protocol's status if the client exits without notice; and doctor's status for problems.
    if failed.status == 1 and fault.case.verb in ("lsp", "doctor"):
        return ""
    if failed.status not in (healthy.status, 2, 3):
        return f"exit status {failed.status}, not {healthy.status}, 2 or 3"
    unread = fault.call.startswith("write") and fault.action == "EPIPE"  # the reader is gone
    if failed.status != healthy.status and not unread and not says(failed):
        return f"exit status {failed.status} without a message"
    return ""


def result_problem(fault, healthy, failed, first):
    """Returns the problem in the output of a run with a fault; empty if there is none."""
    signalled = fault.action in failures.SIGNALS
    if fault.action in failures.HARMLESS and not same(healthy, failed):
        return f"{fault.action} changes the result"
    if not signalled and failed.status == healthy.status and failed.status in (0, 1) and not same(*map(
            unquoted, (healthy, failed))):
        untold = (fault.case.verb, fault.call) in failures.UNTOLD
        return "" if untold or Command(fault.case).offers or says(failed) else "another result without a message"
    for name in failed.files.keys() | healthy.files.keys():
        content = failed.files.get(name)
        if "opledger-tmp" in name or content in (first.get(name), healthy.files.get(name)):
            continue
        facts = b'"incomplete"' in (content or b"")  # facts of a shard, which record it themselves
        # Each answer of a dialog changes the list.
        answered = Command(fault.case).typed and is_json(content) and failed.status != healthy.status
        if not facts and not answered and (failed.status != 3 or not says(failed)):
            return f"{name} is neither old nor new"
    return ""


def judge(project, fault):
    """Returns (problem, the run with the fault) of one fault; None if the fault does not occur."""
    case = fault.case
    healthy = project.expected(case, project.first)
    project.begin(case)
    action = str(getattr(errno, fault.action)) if fault.action.startswith("E") else fault.action
    failed = project.run(case, "--at", f"{fault.process}:{fault.call}:{fault.number}:{action}")
    if not project.calls:
        return None, failed
    project.met = project.calls[0]
    found = [status_problem(fault, healthy, failed), result_problem(fault, healthy, failed, project.first)]
    about, program = project.calls[0].about, project.calls[0].program  # before the next run
    removes = fault.call.startswith("unlink") or fault.call == "rmdir"
    if fault.action != "kill" and not removes and (left := project.left_over()):
        found.append(f"leaves {left[0].replace(str(project.top), 'TOP')}")
    if not project.next_is_right(case):
        found.append("the next run is wrong")
    about = re.sub(r"\d+", "N", about.replace(str(project.top), "TOP").replace(str(project.programs.parent), "BUILD"))
    if any((program, fault.call, each, file) in failures.OF_LIBRARIES for each in found for file in ("", about)):
        return [], failed
    return [f"{each} [{about}]" for each in found if each], failed


def is_plausible(call, action):
    if action == "short":
        return call.result.isdigit() and int(call.result) > 1
    return action not in failures.OF_FILES or not call.about.startswith(("pipe:", "socket:"))


def faults_of(project, case, signals, problems):
    """Judges each fault of a command; returns its calls."""
    project.begin(case)
    healthy = project.run(case, "--seconds", str(SECONDS))
    calls = project.calls
    for _ in range(2):  # with an empty and with a warm cache
        if not same(healthy, project.expected(case, project.first)):
            problems.append(f"{case.verb} {case.index}: two healthy runs differ")
        project.known.clear()
    found = []
    for call in calls[1:]:  # the first one starts the command
        place = (case, call.process, call.name, int(call.number))
        own = call.program.startswith("opledger")
        if signals:
            found += [Fault(*place, action, call.about) for action in failures.SIGNALS if own or action == "kill"]
        elif own and call.loader == "0" and call.name not in failures.EXCLUDED:
            if call.name not in failures.ERRORS:
                problems.append(f"{case.verb} {case.index}: {call.name} has no row in failures.py")
            found += [Fault(*place, action, call.about) for action in failures.ERRORS.get(call.name, "").split()
                      if is_plausible(call, action)]
    return found, calls


def missing_verbs(programs):
    said = subprocess.run([programs / "opledger", "--help"], capture_output=True, text=True, check=True).stdout
    verbs = re.findall(r"^  (\w+) ", said.split("Start here:\n")[1], re.MULTILINE)
    return [f"{verb} is a verb without a command" for verb in verbs if verb not in commands.COMMANDS] + [
        f"{verb} is not a verb" for verb in commands.COMMANDS if verb not in verbs]


# ---- parallel processes, each with its own project

OWN = {}


def begin_worker(programs, scratch):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="sweep-", dir=scratch))
    OWN["project"] = Project(programs, folder)


def judge_in_worker(fault):
    try:
        problems, failed = judge(OWN["project"], fault)
    except (OSError, subprocess.SubprocessError) as error:
        return fault, [f"the sweep itself: {error!r}"], ""
    return fault, problems, failed.stderr[-200:].decode(errors="replace")


def known_results(path):
    """Returns the text of a fault -> result of an earlier sweep."""
    if not path or not path.exists():
        return {}
    return {each["fault"]: each for each in map(json.loads, path.read_text().splitlines())}


def sweep(options, programs, scratch):
    problems = missing_verbs(programs) if not options.verb else []
    cases = [Case(verb, index) for verb, lines in commands.COMMANDS.items() for index in range(len(lines))
             if not options.verb or verb in options.verb]
    project = Project(programs, pathlib.Path(tempfile.mkdtemp(prefix="sweep-", dir=scratch)))
    done = known_results(options.results)
    rows, wrong = [], []
    with multiprocessing.Pool(options.jobs, begin_worker, (programs, scratch)) as pool:
        for case in cases:
            faults, calls = faults_of(project, case, options.part == "signals", problems)
            results = [done[text_of(fault)] for fault in faults if text_of(fault) in done]
            left = [fault for fault in faults if text_of(fault) not in done]
            if options.call:
                left = [fault for fault in left if fault.call == options.call]
            if options.every > 1:
                left = left[::options.every]
            for fault, found, stderr in pool.imap_unordered(judge_in_worker, left, 4):
                results.append({"fault": text_of(fault), "wrong": found, "stderr": stderr})
                if options.results:
                    with options.results.open("a") as file:
                        file.write(json.dumps(results[-1]) + "\n")
            wrong += [each for each in results if each["wrong"]]
            missed = sum(each["wrong"] is None for each in results)
            rows.append((case, len(calls), len({call.name for call in calls}), len(results) - missed, missed,
                         sum(bool(each["wrong"]) for each in results)))
            print("%-14s %2d %6d calls of %3d kinds %6d faults %4d not met %5d wrong" % (*rows[-1][0], *rows[-1][1:]),
                  flush=True)
    report(rows, wrong, problems)
    return 1 if wrong or problems else 0


def report(rows, wrong, problems):
    for problem in problems:
        print(problem)
    groups = collections.defaultdict(list)
    for each in wrong:
        _, _, place = each["fault"].split(" ")
        _, call, _, action = place.split(":")
        for what in each["wrong"]:
            groups[(call, what)].append((action, each))
    for (call, what), found in sorted(groups.items(), key=lambda item: -len(item[1])):
        actions = sorted({action for action, _ in found})
        stderr = found[0][1]["stderr"].strip().split("\n")[-1][-150:]
        print(f"{len(found)} x {call} ({' '.join(actions)}): {what}\n    --replay '{found[0][1]['fault']}': {stderr}")
    total = [sum(row[column] for row in rows) for column in (1, 3, 4, 5)]
    print("%d verbs, %d commands, %d calls, %d faults, %d not met, %d wrong"
          % (len({row[0].verb for row in rows}), len(rows), *total))


def sample(options, programs, scratch):
    """Judges random faults of a few commands, up to a number or until time runs out."""
    seed = options.seed or int(datetime.date.today().strftime("%Y%m%d"))
    chance = random.Random(seed)
    problems = missing_verbs(programs)
    cases = [Case(verb, index) for verb, lines in commands.COMMANDS.items() for index in range(len(lines))]
    chance.shuffle(cases)
    project = Project(programs, scratch)
    count = 0

    def spent():
        used = [resource.getrusage(whose) for whose in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)]
        return sum(each.ru_utime + each.ru_stime for each in used)

    for case in cases:
        faults = [fault for signals in (False, True) for fault in faults_of(project, case, signals, problems)[0]]
        for fault in chance.sample(faults, min(len(faults), 40)):
            found, _ = judge(project, fault)
            count += found is not None
            if found:
                problems.append(f"--replay '{text_of(fault)}': {'; '.join(found)}")
            if spent() > options.sample or count == options.faults:
                break
        if spent() > options.sample or count == options.faults:
            break
    print(f"seed {seed}: {count} faults, {len(problems)} problems")
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


def replay(options, programs, scratch):
    """Prints everything about one fault."""
    verb, index, place = options.replay.split(" ")
    process, call, number, action = place.split(":")
    project = Project(programs, scratch)
    fault = Fault(Case(verb, int(index)), process, call, int(number), action, "")
    problems, failed = judge(project, fault)
    healthy = project.expected(fault.case, project.first)
    for title, result in (("healthy", healthy), ("with the fault", failed)):
        print(f"== {title}: exit status {result.status}\n{result.stdout.decode(errors='replace')}"
              f"-- standard error\n{result.stderr.decode(errors='replace')}")
    changed = {name for name in healthy.files.keys() | failed.files.keys()
               if healthy.files.get(name) != failed.files.get(name)}
    print(f"== the call: {project.met}")
    print(f"== other files than in the healthy run: {sorted(changed)}")
    print("the run does not reach this call" if problems is None else "\n".join(problems) or "no problems")
    return 1 if problems or problems is None else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--verb", action="append", default=[])
    parser.add_argument("--part", choices=("errors", "signals"), default="errors", help="kind of faults to try")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--every", type=int, default=1, help="only every Nth fault")
    parser.add_argument("--results", type=pathlib.Path, help="file that keeps the results")
    parser.add_argument("--sample", type=float, default=0, help="seconds of CPU time for the sample")
    parser.add_argument("--faults", type=int, default=sys.maxsize, help="maximum number of faults in the sample")
    parser.add_argument("--call", default="", help="only this system call")
    parser.add_argument("--seed", type=int, default=0, help="seed of the sample; default: the date")
    parser.add_argument("--replay", default="", help="one fault, as printed by a sweep")
    options = parser.parse_args()
    programs = options.bin.resolve()
    for program in ("opledger-fail-call", "opledger-scan", "opledger-convert", "opledger-run"):
        if not (programs / program).exists():
            print(f"SKIPPED: {program} was not built")
            return 77
    if b"__asan_init" in (programs / "opledger").read_bytes():
        print("SKIPPED: calls of the sanitizers would fail, not the program's alone")
        return 77
    with tempfile.TemporaryDirectory(prefix="opledger-sweep-") as folder:
        scratch = pathlib.Path(folder).resolve()
        if options.replay:
            return replay(options, programs, scratch)
        return (sample if options.sample else sweep)(options, programs, scratch)


if __name__ == "__main__":
    sys.exit(main())
