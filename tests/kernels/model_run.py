"""`opledger-run` on arrays: what tests of models compare with."""
# SPDX-License-Identifier: Apache-2.0

import pathlib
import subprocess
import tempfile


def _load(path, numpy):
    array = numpy.load(path)
    if array.dtype.kind == "V":
        import ml_dtypes  # numpy does not know bfloat16
        array = array.view(ml_dtypes.bfloat16)
    return array


def run_model(program, model, given, outputs, kernels):
    """(exit status, the outputs by name, what the program said: its first error where it cannot run
    the model). `given`: arrays by the names of inputs."""
    import numpy
    with tempfile.TemporaryDirectory() as folder:
        command = [program, model, "-o", folder, "--kernels", kernels]
        for i, (name, array) in enumerate(given.items()):
            numpy.save(pathlib.Path(folder, f"in{i}.npy"), array)
            command += ["--input", f"{name}={folder}/in{i}.npy"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
        if done.returncode == 2:
            return 2, {}, done.stderr.split("error: ", 1)[-1].splitlines()[0]
        if done.returncode != 0:
            return done.returncode, {}, f"exit status {done.returncode}: {done.stderr[-300:]}"
        files = {name: "".join(c if c.isalnum() and c.isascii() or c in "-_." else "_" for c in name)
                 for name in outputs}
        return 0, {name: _load(pathlib.Path(folder, file + ".npy"), numpy)
                   for name, file in files.items()}, ""
