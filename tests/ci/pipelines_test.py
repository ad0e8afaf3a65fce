#!/usr/bin/env python3
"""Tests the GitHub Action and the pipelines in ci/recipes: they match their schemas, and their
steps work in a shell as runners start it, whatever the inputs contain."""
# SPDX-License-Identifier: Apache-2.0

import hashlib
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/scan")]
import peers  # noqa: E402
from scanning import Skip, expect, main  # noqa: E402

ACTION, GITLAB = ROOT / "ci/github/action.yml", ROOT / "ci/recipes/gitlab.yml"
SCHEMAS = {"vendor.github-actions": [ACTION], "vendor.gitlab-ci": [GITLAB],
           "vendor.github-workflows": sorted((ROOT / "ci/recipes").glob("github-*.yml"))}
COMMIT = "git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm x"
HOSTILE = ["$(touch pwned)", "`touch pwned`", "'; touch pwned; '", '"; touch pwned; "', "1 && touch pwned",
           "x\nstatus=0\nsarif=/etc/passwd", "--output-format=json=pwned", "*", "-", "..", "\\", "%0A::error::x", ""]


def load(path):
    import yaml  # only here: main() has checked that it is installed
    return yaml.safe_load(path.read_text())


def program(bin_folder, name):
    for place in (bin_folder.parent / "venv/bin", ROOT / "build/venv/bin"):
        if (place / name).exists():
            return place / name
    raise Skip(f"{name} is missing; ci/setup installs it")


def test_schemas(bin_folder, folder):
    del folder
    validator = program(bin_folder, "check-jsonschema")
    for schema, files in SCHEMAS.items():
        done = subprocess.run([validator, "--builtin-schema", schema, *files], capture_output=True, text=True,
                              check=False)
        expect(files and done.returncode == 0, schema, done.stdout, done.stderr)


def test_the_action_fits_itself_and_its_recipe(bin_folder, folder):
    action = load(ACTION)
    for step in action["runs"]["steps"]:
        expect("${{" not in step.get("run", ""), "an expression in a script:", step["name"])
        used = set(re.findall(r"inputs\.([\w-]+)", str(step)))
        expect(used <= action["inputs"].keys(), used)
        expect("run" not in step or step["shell"] == "bash", step)
        # A tag can be moved, a commit cannot.
        expect("uses" not in step or re.search(r"@[0-9a-f]{40}$", step["uses"]), step)
    recipes = {name: load(ROOT / f"ci/recipes/github-{name}.yml")["jobs"] for name in ("check", "review")}
    for step in [step for name, jobs in recipes.items() for step in jobs[name]["steps"]]:
        if "opledger" in step.get("uses", ""):
            expect(step["with"].keys() <= action["inputs"].keys(), step)
    # Nothing may install a package of that name from an index, since it may not be ours.
    for path in sorted((ROOT / "ci").rglob("*")):
        if path.is_file() and path.suffix in (".yml", ".md"):
            found = re.search(r"opledger==|pip install (?!.*/)\S*opledger", path.read_text())
            expect(found is None, path, found)
    shellcheck = program(bin_folder, "shellcheck")
    for number, step in enumerate(action["runs"]["steps"]):
        if "run" in step:
            script = folder / f"{number}.sh"
            script.write_text(step["run"])
            done = subprocess.run([shellcheck, "--shell=bash", "--severity=info", script], capture_output=True,
                                  text=True, check=False)
            expect(done.returncode == 0, done.stdout)


class Runner:
    """Runs a step of the action in the demo, as a runner would."""

    def __init__(self, bin_folder, folder):
        self.temp, self.demo = folder / "temp", folder / "demo"
        self.temp.mkdir()
        shutil.copytree(ROOT / "tests/demo", self.demo)
        self.files = {name: folder / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH")}
        self.action, self.path = load(ACTION), f"{bin_folder}:/usr/bin:/bin"
        self.context = {"runner.temp": str(self.temp), "github.server_url": "https://github.com",
                        "github.repository": "of/them", "github.action_repository": "of/us",
                        "github.event.pull_request.head.sha": "abc", "github.event.pull_request.number": "7",
                        "github.token": "secret", "github.action_path": str(ROOT / "ci/github")}

    def run(self, name, **inputs):
        """Returns (exit status, output, outputs of the step)."""
        for path in self.files.values():
            path.write_text("")
        step, = (step for step in self.action["runs"]["steps"] if step["name"] == name)
        values = {key: value["default"] for key, value in self.action["inputs"].items()}
        values.update({key.replace("_", "-"): value for key, value in inputs.items()})
        variables = {key: re.sub(r"\$\{\{ (?:inputs\.([\w-]+)|(\S+)) \}\}",
                                 lambda m: values[m[1]] if m[1] else self.context[m[2]], text)
                     for key, text in step["env"].items()}
        environment = {"PATH": self.path, "HOME": str(self.temp), "RUNNER_TEMP": str(self.temp), "GITHUB_ACTIONS": "true",
                       **{key: str(path) for key, path in self.files.items()}, **variables,
                       **{key: value for key, value in os.environ.items() if key.endswith("SAN_OPTIONS")}}
        script = self.temp / "step.sh"
        script.write_text(step["run"])
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", script], cwd=self.demo, text=True,
                              env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        pairs = [line.split("=", 1) for line in self.files["GITHUB_OUTPUT"].read_text().splitlines()]
        expect(len(pairs) == len(dict(pairs)), pairs)
        return done.returncode, done.stdout + done.stderr, dict(pairs)


def test_check(bin_folder, folder):
    runner = Runner(bin_folder, folder)
    status, said, outputs = runner.run("Check")
    expect(status == 1 and outputs["status"] == "1" and "::error file=src/activation.cc,line=8" in said, said)
    expect("'hard_swish' has no policy" in html.unescape(runner.files["GITHUB_STEP_SUMMARY"].read_text()))
    results = json.loads(pathlib.Path(outputs["sarif"]).read_text())["runs"][0]["results"]
    expect([each["ruleId"] for each in results] == ["unclassified-operator"], results)
    status, said, outputs = runner.run("Check", fail_on="never")
    expect(status == 0 and outputs["status"] == "0", said)
    status, said, outputs = runner.run("Check", arguments="--ignore\nunclassified-operator\n\n--quiet")
    expect(status == 0 and "::error" not in said, said)
    # A failing run must not leave an earlier run's report for upload.
    status, said, outputs = runner.run("Check", fail_on="nonsense")
    expect(status == 2 and outputs == {"status": "2"}, said, outputs)
    subprocess.run(COMMIT, shell=True, cwd=runner.demo, check=True)
    status, said, outputs = runner.run("Check", against="HEAD")
    expect(status == 0 and "::error" not in said, said)


def test_a_shallow_checkout_is_deepened(bin_folder, folder):
    """Runners check out one commit of the branch, and no other branch."""
    runner = Runner(bin_folder, folder)
    origin, clone = folder / "origin", folder / "clone"
    commit = "git add . && git -c user.name=a -c user.email=a@b commit -qm x"
    shutil.copytree(runner.demo, origin)
    script = f"""git init -q -b main . && {commit}
        git checkout -q -b feature
        for i in 1 2 3; do echo "// $i" >>src/activation.cc; {commit}; done
        echo 'DEMO_REGISTER_UNARY(twice)' >>src/activation.cc; {commit}
        git checkout -q main; echo '// later' >>src/matrix.cc; {commit}"""
    subprocess.run(["bash", "-ec", script], cwd=origin, check=True)
    subprocess.run(["git", "clone", "-q", "--depth=1", "--branch=feature", "--no-single-branch", f"file://{origin}", clone],
                   check=True)
    shutil.rmtree(runner.demo)
    clone.rename(runner.demo)
    status, said, outputs = runner.run("Check", against="origin/main")
    expect(status == 1 and said.count("::error file=") == 1 and "twice" in said, status, said, outputs)
    shallow = subprocess.run(["git", "rev-parse", "--is-shallow-repository"], cwd=runner.demo, capture_output=True,
                             text=True, check=True).stdout.strip()
    expect(shallow == "false", shallow)


def test_shards(bin_folder, folder):
    runner = Runner(bin_folder, folder)
    facts = folder / "facts of all"
    facts.mkdir()
    for shard in (1, 2):
        status, said, outputs = runner.run("Scan a shard", shard=f"{shard}/2")
        expect(status == 0, said)
        shutil.copy(outputs["facts"], facts)
    subprocess.run(COMMIT, shell=True, cwd=runner.demo, check=True)
    status, said, outputs = runner.run("Check", facts=str(facts), against="HEAD")
    expect(status == 0 and "::error" not in said, said)
    shutil.rmtree(runner.demo / "src")
    status, said, outputs = runner.run("Check", facts=str(facts))
    expect(status == 1 and said.count("::error file=") == 1 and "hard_swish" in said, said)
    expect("sarif" in outputs, outputs)
    next(facts.iterdir()).unlink()
    status, said, outputs = runner.run("Check", facts=str(facts))
    expect(status == 3 and "is missing" in said and outputs == {"status": "3"}, said, outputs)


def test_hostile_inputs(bin_folder, folder):
    runner = Runner(bin_folder, folder)
    before = sorted(runner.demo.rglob("*"))
    for text in HOSTILE:
        for name in ("against", "fail_on", "arguments", "facts"):
            if name == "arguments" and text.startswith("--"):
                continue  # defined by the workflow itself
            status, said, outputs = runner.run("Check", **{name: text})
            harmless = text == "" and name != "fail_on"
            expect(status == 1 if harmless else status in (2, 3), name, repr(text), status, said)
            expect(outputs["status"] == str(status) and outputs.keys() <= {"status", "sarif"}, outputs)
        status, said, outputs = runner.run("Scan a shard", shard=text)
        expect(status == 2 or not text, repr(text), said)
        expect(outputs.keys() <= {"facts"} and (not outputs or not text), outputs)
        expect(sorted(runner.demo.rglob("*")) == before and not list(runner.temp.rglob("pwned")), repr(text))


def tool(folder, name, script):
    """Writes a program of that name that precedes all others in PATH."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/bash\n{script}")
    (folder / name).chmod(0o755)


def test_a_release_is_checked(bin_folder, folder):
    runner = Runner(bin_folder, folder)
    release = folder / "release"
    (release / "package/DEBIAN").mkdir(parents=True)
    (release / "package/usr/bin").mkdir(parents=True)
    (release / "package/usr/bin/opledger").write_text("#!/bin/sh\n")
    (release / "package/DEBIAN/control").write_text(
        "Package: opledger\nVersion: 0.1.0\nArchitecture: amd64\nMaintainer: a <a@b>\nDescription: x\n")
    name = "opledger_0.1.0_amd64.deb"
    subprocess.run(["dpkg-deb", "--build", "--root-owner-group", release / "package", release / name], check=True,
                   stdout=subprocess.DEVNULL)
    digest = hashlib.sha256((release / name).read_bytes()).hexdigest()
    tool(folder / "tools", "curl", f'address=${{@: -1}}; echo "$address" >>{folder}/asked\n'
                                   f'cp "{release}/$(basename "$address")" "${{@: -3:1}}"\n')
    runner.path = f"{folder / 'tools'}:{runner.path}"

    def install(status, **inputs):
        shutil.rmtree(runner.temp / "opledger-release", ignore_errors=True)
        found, said, _ = runner.run("Download a release", version="0.1.0", **inputs)
        expect((found == 0) == (status == 0), inputs, said)
        installed = (runner.temp / "opledger-release/files/usr/bin/opledger").exists()
        expect(installed == (status == 0) == bool(runner.files["GITHUB_PATH"].read_text()), said)

    (release / "SHA256SUMS").write_text(f"{digest}  {name}\n{'0' * 64}  other.deb\n")
    install(0)
    install(0, sha256=digest)
    install(1, sha256="0" * 64)
    for sums in (f"{'0' * 64}  {name}\n", f"{digest}  other.deb\n", ""):
        (release / "SHA256SUMS").write_text(sums)
        install(1)
    for text in HOSTILE[:-1]:
        status, said, _ = runner.run("Download a release", version=text)
        expect(status == 2 and not (runner.demo / "pwned").exists(), repr(text), said)
    address = f"https://github.com/of/us/releases/download/v0.1.0/{name}"
    expect(address in (folder / "asked").read_text().splitlines())


def test_the_state_of_the_checkout(bin_folder, folder):
    runner = Runner(bin_folder, folder)
    checkout = folder / "checkout"
    (checkout / "ci/github").mkdir(parents=True)
    runner.context["github.action_path"] = str(checkout / "ci/github")
    digests = []
    for name, text in (("a b", "1"), ("a b", "2"), ("c", "1"), (".git/x", "1")):
        (checkout / name).parent.mkdir(exist_ok=True)
        (checkout / name).write_text(text)
        status, said, outputs = runner.run("Compute the digest of this checkout")
        expect(status == 0 and re.fullmatch("[0-9a-f]{64}", outputs["digest"]), said)
        digests.append(outputs["digest"])
    expect(len(set(digests)) == 3 and digests[2] == digests[3], digests)


def test_one_comment(bin_folder, folder):
    runner = Runner(bin_folder, folder)
    calls = folder / "calls"
    tool(folder / "tools", "gh", f'printf "%s " "$@" >>{calls}; echo >>{calls}\n'
                                 f'case $* in *--jq*) cat {folder}/known ;; esac\n'
                                 f'for word; do case $word in body=@*) cp "${{word#body=@}}" {folder}/body ;; esac; done\n')
    runner.path = f"{folder / 'tools'}:{runner.path}"
    subprocess.run(COMMIT, shell=True, cwd=runner.demo, check=True)

    def comment(known):
        (folder / "known").write_text(known)
        calls.write_text("")
        status, said, _ = runner.run("Comment", against="HEAD")
        expect(status == 0, said)
        return [line for line in calls.read_text().splitlines() if "--jq" not in line]

    expect(comment("") == [], "nothing changed")
    with open(runner.demo / "src/activation.cc", "a") as file:
        file.write("NNVM_REGISTER_OP(probe);\n")
    post, = comment("")
    expect("repos/of/them/issues/7/comments" in post and "PATCH" not in post, post)
    body = (folder / "body").read_text()
    expect(body.startswith("<!-- opledger -->\n"), body)
    expect("| added | `probe` | [`src/activation.cc:16:18`](<https://github.com/of/them/blob/abc/"
           "src/activation.cc#L16>) |" in body, body)
    patch, = comment("41\n")
    expect("-X PATCH repos/of/them/issues/comments/41 " in patch, patch)


def test_gitlab(bin_folder, folder):
    jobs = load(GITLAB)
    demo = folder / "demo"
    shutil.copytree(ROOT / "tests/demo", demo)
    environment = {"PATH": f"{bin_folder}:/usr/bin:/bin", "HOME": str(folder), "CI_PROJECT_DIR": str(demo)}

    def run(job, status, **variables):
        done = subprocess.run(["sh", "-ec", "\n".join(jobs[job]["script"])], cwd=demo, capture_output=True, text=True,
                              env={**environment, **variables}, check=False)
        expect(done.returncode == status, job, done.stdout, done.stderr)
        return done.stdout + done.stderr

    def reports():
        named = jobs[".opledger"]["artifacts"]["reports"]
        expect("hard_swish" in (demo / named["junit"]).read_text())
        return [each["check_name"] for each in json.loads((demo / named["codequality"]).read_text())]

    expect("'hard_swish' has no policy" in run("opledger", 1) and reports() == ["unclassified-operator"])
    run("opledger", 2, CI_MERGE_REQUEST_DIFF_BASE_SHA="x y; touch pwned")
    subprocess.run(COMMIT, shell=True, cwd=demo, check=True)
    run("opledger", 0, CI_MERGE_REQUEST_DIFF_BASE_SHA="HEAD")
    for index in range(1, jobs["opledger-scan"]["parallel"] + 1):
        run("opledger-scan", 0, CI_NODE_INDEX=str(index), CI_NODE_TOTAL=str(jobs["opledger-scan"]["parallel"]))
    expect("'hard_swish' has no policy" in run("opledger-merge", 1) and reports() == ["unclassified-operator"])
    expect(not (demo / "pwned").exists())


if __name__ == "__main__":
    try:
        import yaml  # noqa: F401
    except ImportError:
        peers.require(pathlib.Path(sys.argv[sys.argv.index("--bin") + 1]), "yaml")
    sys.exit(main(globals()))
