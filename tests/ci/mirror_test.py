#!/usr/bin/env python3
"""ci/mirror: the repositories that it makes are what pre-commit and GitLab expect. Their own commands run: the hook, as
pre-commit installs it from the repository and from a wheel of that version, and the component's job."""
# SPDX-License-Identifier: Apache-2.0

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/scan")]
import peers  # noqa: E402
from scanning import Skip, expect, main  # noqa: E402

VERSION = (ROOT / "VERSION").read_text().strip()
AUTHOR = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
          "GIT_CONFIG_NOSYSTEM": "1"}
HOSTILE = ["$(touch pwned)", "`touch pwned`", "'; touch pwned; '", '"; touch pwned; "', "x && touch pwned"]


def run(*command, status=0, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, **options)
    expect(done.returncode == status, *command, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


def mirror(kind, folder):
    return run(ROOT / "ci/mirror", kind, folder / kind, env={**os.environ, **AUTHOR, "HOME": str(folder)})


def program(bin_folder, name):
    for place in (bin_folder.parent / "venv/bin", ROOT / "build/venv/bin"):
        if (place / name).exists():
            return place / name
    raise Skip(f"{name} is missing; ci/setup installs it")


def test_one_tag_for_each_version(bin_folder, folder):
    del bin_folder
    for kind, tag in (("pre-commit", f"v{VERSION}"), ("gitlab", VERSION)):
        expect("push --follow-tags" in mirror(kind, folder))
        expect("push" not in mirror(kind, folder), "the version was there")
        expect(run("git", "tag", cwd=folder / kind).split() == [tag], kind)
        expect(len(run("git", "log", "--oneline", cwd=folder / kind).splitlines()) == 1 and
               run("git", "status", "--porcelain", cwd=folder / kind) == "", kind)
    (folder / "full").mkdir()
    (folder / "full/file").write_text("")
    run(ROOT / "ci/mirror", "gitlab", folder / "full", status=1)
    run(ROOT / "ci/mirror", "other", folder / "new", status=1)


def wheel(folder, bin_folder):
    """A wheel of this version whose program is the one of the build, as pip installs it."""
    stem = f"opledger-{VERSION}"
    path = folder / f"{stem}-py3-none-any.whl"
    script = f'#!/bin/sh\nexec "{bin_folder}/opledger" "$@"\n'
    about = f"Metadata-Version: 2.1\nName: opledger\nVersion: {VERSION}\n"
    with zipfile.ZipFile(path, "w") as archive:
        info = zipfile.ZipInfo(f"{stem}.data/scripts/opledger")
        info.external_attr = 0o100755 << 16
        archive.writestr(info, script)
        archive.writestr(f"{stem}.dist-info/METADATA", about)
        archive.writestr(f"{stem}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{stem}.dist-info/RECORD", "")


def test_the_hook_that_pre_commit_installs(bin_folder, folder):
    pre_commit = program(bin_folder, "pre-commit")
    mirror("pre-commit", folder)
    wheels = folder / "wheels"
    wheels.mkdir()
    wheel(wheels, bin_folder)
    # The package of the mirror is built by setuptools, which virtualenv brings.
    for path in pre_commit.parents[1].rglob("virtualenv/seed/wheels/embed/*.whl"):
        shutil.copy(path, wheels)
    repository = folder / "repository"
    shutil.copytree(ROOT / "tests/demo", repository)
    # As the mirror's README says, but for the address.
    config = re.search(r"(?ms)^```yaml\n(.*?)^```$", (folder / "pre-commit/README.md").read_text())[1]
    config = re.sub(r"https://\S+", f"file://{folder}/pre-commit", config)
    (repository / ".pre-commit-config.yaml").write_text(config)
    environment = {"PATH": f"{pre_commit.parent}:/usr/bin:/bin", "HOME": str(folder), "PIP_NO_INDEX": "1",
                   "PIP_FIND_LINKS": str(wheels), "PRE_COMMIT_HOME": str(folder / "pre-commit-home"), **AUTHOR}
    for command in (("git", "init", "-q", "."), ("git", "add", "."), ("git", "commit", "-qm", "x")):
        run(*command, cwd=repository, env=environment)
    expect("Passed" in run("pre-commit", "run", "opledger", cwd=repository, env=environment))
    with open(repository / "src/unary.cc", "a") as file:
        file.write("NNVM_REGISTER_OP(probe);\n")
    run("git", "add", ".", cwd=repository, env=environment)
    said = run("pre-commit", "run", "opledger", cwd=repository, env=environment, status=1)
    expect("'probe' has no policy" in said and "hard_swish" not in said, said)


def component(folder, **inputs):
    """The job, with the inputs inserted as GitLab does: as text."""
    import yaml  # only here: main() has looked whether it is there
    header, body = (folder / "gitlab/templates/check.yml").read_text().split("\n---\n")
    specified = yaml.safe_load(header)["spec"]["inputs"]
    used = set(re.findall(r"\$\[\[ inputs\.([\w-]+) \]\]", body))
    expect(used == specified.keys() and all("description" in each for each in specified.values()), used)
    values = {name: each["default"] for name, each in specified.items()}
    values.update({name.replace("_", "-"): value for name, value in inputs.items()})
    return body, re.sub(r"\$\[\[ inputs\.([\w-]+) \]\]", lambda m: values[m[1]], body)


def test_the_component(bin_folder, folder):
    import yaml
    mirror("gitlab", folder)
    demo = folder / "demo"
    shutil.copytree(ROOT / "tests/demo", demo)
    (folder / "job.yml").write_text(component(folder)[1])
    run(program(bin_folder, "check-jsonschema"), "--builtin-schema", "vendor.gitlab-ci", folder / "job.yml")

    def check(status, against=None, **inputs):
        name = inputs.get("job", "opledger")
        template, text = component(folder, **{key: value for key, value in inputs.items() if key == "job"})
        job = yaml.safe_load(text)[name]
        variables = {key: value for key, value in job["variables"].items() if key.startswith("OPLEDGER_")}
        for key, value in inputs.items():  # what GitLab inserts into a double-quoted text of YAML
            if key != "job":
                variables[f"OPLEDGER_{key.upper()}"] = value
        expect("$[[" not in str(yaml.safe_load(template.replace("$[[ inputs.job ]]", "job"))["job"]["script"]), template)
        variables["OPLEDGER_CACHE_DIR"] = str(folder / "cache")
        if against:
            variables["CI_MERGE_REQUEST_DIFF_BASE_SHA"] = against
        done = subprocess.run(["sh", "-ec", "\n".join(job["script"])], cwd=demo, capture_output=True, text=True, check=False,
                              env={"PATH": f"{bin_folder}:/usr/bin:/bin", "HOME": str(folder),
                                   "CI_PROJECT_DIR": str(demo), **variables})
        expect(done.returncode == status, inputs, done.returncode, done.stdout, done.stderr)
        return job, done.stdout + done.stderr

    job, said = check(1)
    named = job["artifacts"]["reports"]
    expect("'hard_swish' has no policy" in said and "hard_swish" in (demo / named["junit"]).read_text(), said)
    expect([each["check_name"] for each in json.loads((demo / named["codequality"]).read_text())] ==
           ["unclassified-operator"])
    check(0, fail_on="never", job="operators")
    check(0, arguments="--ignore unclassified-operator")
    for text in HOSTILE:
        check(2, fail_on=text)
        check(2, arguments=text)
        check(2, against=text)
    run("sh", "-c", "git init -q . && git add . && git commit -qm x", cwd=demo,
        env={**os.environ, **AUTHOR, "HOME": str(folder)})
    check(0, against="HEAD")
    expect(not list(folder.rglob("pwned")), "an input was run")


if __name__ == "__main__":
    try:
        import yaml  # noqa: F401
    except ImportError:
        peers.require(pathlib.Path(sys.argv[sys.argv.index("--bin") + 1]), "yaml")
    sys.exit(main(globals()))
