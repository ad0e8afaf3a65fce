#!/usr/bin/env python3
"""The workflows of this repository: least permissions, actions pinned by commit, nothing that their inputs can turn into
commands; actionlint and zizmor find nothing, also in the recipes. The steps of a release run, in a scratch clone."""
# SPDX-License-Identifier: Apache-2.0

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

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
RECIPES = sorted((ROOT / "ci/recipes").glob("github-*.yml"))
ACTIONS = sorted((ROOT / "ci/github").rglob("action.yml"))
USES = re.compile(r"(?m)^ *(?:- )?uses: (\S+)@(\S+)(?:  # (v[\d.]+))?$")
# What a job of ours may write, and for what.
WRITES = {("release", "collect"): {"id-token", "attestations"}, ("release", "publish"): {"contents"},
          ("release", "pypi"): {"id-token"}, ("docs", "serve"): {"pages", "id-token"}}
VERSION = (ROOT / "VERSION").read_text().strip()
AUTHOR = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}


def load(path):
    import yaml  # only here: main() has looked whether it is there
    return yaml.safe_load(path.read_text())


def program(bin_folder, name):
    for place in (bin_folder.parent / "venv/bin", ROOT / "build/venv/bin"):
        if (place / name).exists():
            return place / name
    if shutil.which(name):
        return shutil.which(name)
    raise Skip(f"{name} is missing; ci/setup installs it")


def run(*command, status=0, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, **options)
    expect(done.returncode == status, *command, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


def test_schemas(bin_folder, folder):
    del folder
    expect({path.stem for path in WORKFLOWS} == {"test", "release", "nightly", "docs"}, WORKFLOWS)
    validator = program(bin_folder, "check-jsonschema")
    run(validator, "--builtin-schema", "vendor.github-workflows", *WORKFLOWS)
    run(validator, "--builtin-schema", "vendor.dependabot", ROOT / ".github/dependabot.yml")


def test_least_permissions(bin_folder, folder):
    del bin_folder, folder
    for path in WORKFLOWS:
        workflow = load(path)
        expect(workflow["permissions"] == {}, path.name, "gives permissions to every job")
        expect("pull_request_target" not in workflow[True] and "workflow_run" not in workflow[True], path.name)
        for name, job in workflow["jobs"].items():
            expect("permissions" in job and "timeout-minutes" in job, path.name, name)
            writes = {what for what, how in job["permissions"].items() if how == "write"}
            expect(writes == WRITES.get((path.stem, name), set()), path.name, name, writes)
            expect(set(job["permissions"].values()) <= {"read", "write"}, path.name, name)
    for path in RECIPES:
        workflow = load(path)
        expect("permissions" in workflow and "write" not in str(workflow["permissions"]), path.name)
    # Who pastes a snippet of a README pastes its permissions.
    for path in (ROOT / "README.md", ROOT / "ci/README.md"):
        for block in re.findall(r"(?ms)^```yaml\n(.*?)^```$", path.read_text()):
            expect("uses: OWNER/" not in block or "permissions:" in block, path, block)


def test_actions_are_pinned(bin_folder, folder):
    del bin_folder, folder
    known = {}
    for path in WORKFLOWS + RECIPES + ACTIONS:
        text = path.read_text()
        found = USES.findall(text)
        expect(len(found) == len(re.findall(r"(?m)^ *(?:- )?uses:", text)), path, "has a `uses` of another form")
        for name, commit, version in found:
            if name.startswith("OWNER/opledger/"):
                continue  # the version is the user's choice
            expect(re.fullmatch("[0-9a-f]{40}", commit) and version, path, name, commit)
            repository = "/".join(name.split("/")[:2])
            expect(known.setdefault(repository, (commit, version)) == (commit, version), path, name, commit)


def test_scripts_are_not_made_of_inputs(bin_folder, folder):
    shellcheck = program(bin_folder, "shellcheck")
    for path in WORKFLOWS + RECIPES:
        for name, job in load(path)["jobs"].items():
            for number, step in enumerate(job["steps"]):
                if "run" not in step:
                    expect("checkout@" not in step["uses"] or step["with"]["persist-credentials"] is False, path, step)
                    continue
                expect("${{" not in step["run"], path, step)
                script = folder / f"{path.stem}-{name}-{number}.sh"
                script.write_text(step["run"])
                run(shellcheck, "--shell=bash", "--severity=info", script)
    run(shellcheck, ROOT / "ci/install", ROOT / "ci/github/post-comment")


def test_the_programs_exist(bin_folder, folder):
    del bin_folder, folder
    for path in WORKFLOWS:
        for each in sorted(set(re.findall(r"(?m)(?:run: |^ +|\()(ci/\w+)", path.read_text()))):
            expect(os.access(ROOT / each, os.X_OK), f"{path.name} runs {each}, which does not exist")


def test_actionlint(bin_folder, folder):
    actionlint = program(bin_folder, "actionlint")
    run(actionlint, "-shellcheck=", "-pyflakes=", *WORKFLOWS, *RECIPES)
    # It can find something.
    (folder / "bad.yml").write_text(WORKFLOWS[0].read_text().replace("runs-on: ubuntu-24.04", "runs-on: ubuntu-1"))
    run(actionlint, "-shellcheck=", "-pyflakes=", folder / "bad.yml", status=1)


def test_zizmor(bin_folder, folder):
    zizmor = (program(bin_folder, "zizmor"), "--offline", "--no-progress", "--config", ROOT / ".github/zizmor.yml")
    environment = {key: value for key, value in os.environ.items() if "TOKEN" not in key}  # it would ask GitHub
    said = run(*zizmor, "--persona=pedantic", ROOT / ".github", ROOT / "ci/github", env=environment)
    expect(said.count("completed") == len(WORKFLOWS) + len(ACTIONS) + 1, said)
    # It reads workflows only where GitHub would.
    (folder / ".github/workflows").mkdir(parents=True)
    for path in RECIPES:
        shutil.copy(path, folder / ".github/workflows")
    run(*zizmor, folder, env=environment)
    bad = folder / ".github/workflows" / RECIPES[0].name
    bad.write_text(re.sub(r"checkout@\S+", "checkout@main", bad.read_text()))
    expect("unpinned-uses" in run(*zizmor, folder, status=14, env=environment))


def clone(folder):
    """Origin has a tag; the clone is what a runner checks out."""
    origin = folder / "origin"
    names = ("ci", "schemas", "VERSION", "README.md", "LICENSE", "pyproject.toml")
    for name in filter(None, run("git", "ls-files", "-z", "-co", "--exclude-standard", *names, cwd=ROOT).split("\0")):
        (origin / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, origin / name)
    run("sh", "-c", f"git init -q . && git add . && git commit -qm x && git tag v{VERSION}", cwd=origin,
        env={**os.environ, **AUTHOR})
    run("git", "clone", "-q", "--branch", f"v{VERSION}", origin, folder / "clone")
    return folder / "clone"


def steps(job):
    return {step["name"]: step for step in load(ROOT / ".github/workflows/release.yml")["jobs"][job]["steps"]}


def test_a_release_after_its_packages(bin_folder, folder):
    """The steps of the jobs collect, publish and pypi; ci/release_test makes the packages."""
    del bin_folder
    checkout, tools = clone(folder), folder / "tools"
    tools.mkdir()
    for name in ("gh", "pipx"):
        (tools / name).write_text(f'#!/bin/sh\necho {name} "$@" >>{folder}/calls\n')
        (tools / name).chmod(0o755)
    dist = checkout / "dist"
    dist.mkdir()
    for machine, debian in (("x86_64", "amd64"), ("aarch64", "arm64")):
        (dist / f"opledger-{VERSION}-py3-none-manylinux_2_17_{machine}.whl").write_text(machine)
        (dist / f"opledger_{VERSION}_{debian}.deb").write_text(machine)
    environment = {"PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(folder), "TAG": f"v{VERSION}",
                   "GITHUB_STEP_SUMMARY": str(folder / "summary"), "RUNNER_TEMP": str(folder)}

    def step(job, name, status=0):
        return run("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", steps(job)[name]["run"], cwd=checkout,
                   env=environment, status=status)

    def calls():
        return (folder / "calls").read_text() if (folder / "calls").exists() else ""

    step("collect", "Add the source and the digests")
    expect(len((folder / "summary").read_text().splitlines()) == 6, (folder / "summary").read_text())
    said = step("collect", "Try to publish")
    expect("would run: gh release create" in said and not calls(), said)
    step("publish", "Publish")
    expect(calls().startswith(f"gh release create v{VERSION} --verify-tag"), calls())
    expect(all(path.name in calls() for path in dist.iterdir()), calls())
    step("pypi", "Upload")
    upload = calls().splitlines()[-1]
    expect(upload.startswith("pipx run") and upload.count(".whl") == 2 and upload.endswith(f"opledger-{VERSION}.tar.gz") and
           "schemas" not in upload, upload)
    # What changed on the way is not published.
    made = calls()
    next(dist.glob("*.deb")).write_text("other")
    step("publish", "Publish", status=1)
    step("pypi", "Upload", status=1)
    expect(calls() == made, calls())


if __name__ == "__main__":
    try:
        import yaml  # noqa: F401
    except ImportError:
        peers.require(pathlib.Path(sys.argv[sys.argv.index("--bin") + 1]), "yaml")
    sys.exit(main(globals()))
