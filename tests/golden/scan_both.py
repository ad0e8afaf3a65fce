#!/usr/bin/env python3
"""Scans the current folder in both modes, which must give the same results, and prints one line per fact:

    scan_both.py [--fields] [--kernels] ARGUMENT...      arguments of opledger-scan

    OPERATOR PATH:LINE:COLUMN MACRO [CONDITION] never runs {EXEMPT}     a registration: the location of the
                                                              name, and the macro that registers it there
        alias ALIAS PATH:LINE:COLUMN [CONDITION]
        FIELD KEY = VALUE {DETAIL: TEXT} [CONDITION]          with --fields
        kernel DEVICE VARIABLE: TYPES {DETAIL: TEXT} PATH:LINE:COLUMN [CONDITION]    with --kernels
        version since N PATH:LINE:COLUMN                      an older version, followed by its fields
    dynamic PATH:LINE:COLUMN EXPRESSION (REASON)

Standard error and the exit status are those of the fast scan; exit status 9 means that the modes differ.
"""
# SPDX-License-Identifier: Apache-2.0

import json
import pathlib
import subprocess
import sys


def scan(arguments, mode):
    output = pathlib.Path(f"{mode}.json")
    done = subprocess.run(["opledger-scan", "--mode", mode, "-o", output, *arguments],
                          capture_output=True, text=True, check=False)
    return done, output.read_bytes() if output.exists() else b""


def place(record):
    return f"{record['path']}:{record['line']}:{record['column']}"


def when(condition):
    return f" [{condition}]" if condition else ""


def since(record):
    return f" since {record['since']}" if "since" in record else ""


def show_fields(op):
    for field, values in sorted(op.get("fields", {}).items()):
        for value in values:
            key = f" {value['key']}" if value.get("key") else ""
            details = [f"{name}: {text}" for name, text in value.get("details", {}).items()]
            more = f" {{{', '.join(details)}}}" if details else ""
            print(f"    {field}{key} = {value['value']}{more}{when(value.get('condition'))}")


def show_kernels(op):
    for kernel in op.get("kernels", []):
        said = [f"\"{kernel['label']}\""] if "label" in kernel else []
        for variable, types in kernel.get("types", {}).items():
            if isinstance(types, dict):
                text = f"{', '.join(types['known'])}, ? {types['unknown']}"
            else:
                text = ", ".join(types) if isinstance(types, list) else f"? {types}"
            said.append(f"{variable}: {text}")
        said += [f"{{{name}: {text}}}" for name, text in kernel.get("details", {}).items()]
        print(f"    kernel {kernel['device']} {'; '.join(said)}{' ' if said else ''}{place(kernel)}"
              f"{when(kernel.get('condition'))}")


def show(manifest, fields, kernels):
    for op in manifest["operators"]:
        exempt = f" {{{op['exempt']}}}" if op.get("exempt") else ""
        for site in op["sites"]:
            print(f"{op['name']}{since(op)} {place(site)} {site['macro']}{when(site['condition'])}"
                  f"{'' if site.get('reachable', True) else ' never runs'}{exempt}")
        for alias in op.get("alias_sites", []):
            print(f"    alias {alias['alias']} {place(alias)}{when(alias.get('condition'))}")
        for version in [op, *op.get("earlier", [])]:
            if version is not op:
                print(f"    version{since(version)} {' '.join(map(place, version['sites']))}")
            if fields:
                show_fields(version)
        if kernels:
            show_kernels(op)
    for record in manifest["dynamic"]:
        print(f"dynamic {place(record)} {record['expression']} ({record['reason']})")


def main():
    arguments = sys.argv[1:]
    fields = "--fields" in arguments
    kernels = "--kernels" in arguments
    arguments = [argument for argument in arguments if argument not in ("--fields", "--kernels")]
    fast, full = scan(arguments, "fast"), scan(arguments + ["--no-cache"], "exhaustive")
    sys.stderr.write(fast[0].stderr)
    if fast[1]:
        show(json.loads(fast[1]), fields, kernels)
    if (fast[0].returncode, fast[0].stderr, fast[1]) != (full[0].returncode, full[0].stderr, full[1]):
        print("fast and exhaustive differ:")
        sys.stdout.flush()
        print(full[0].stderr)
        subprocess.run(["diff", "fast.json", "exhaustive.json"], stdout=sys.stderr, check=False)
        return 9
    return fast[0].returncode


if __name__ == "__main__":
    sys.exit(main())
