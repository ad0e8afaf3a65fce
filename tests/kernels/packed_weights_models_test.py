#!/usr/bin/env python3
"""Tests products with 4-bit and 8-bit weights and gathers from tables of them, as exporters and
quantizers write them: MatMulNBits, and DequantizeLinear of integers and 8-bit floats, per block,
per column or per tensor, before MatMul and Gemm. Compares opledger's fast and reference kernels and
ONNX Runtime with float64; a list yields the bits of the converted model. Packed weights need a
fraction of the memory of float32.

Exit status: 0 success, 1 failure, 77 onnx or onnxruntime is missing.

    tests/kernels/packed_weights_models_test.py --bin build/bin
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests")]
import peers  # noqa: E402
from peak_memory import peak_memory  # noqa: E402

try:
    import numpy
    import onnx
    import onnxruntime
    from onnx import helper, numpy_helper
except ImportError:
    onnx = None


def packed(numbers):
    """Packs two 4-bit values into a byte, the first in the low bits, along the last dimension."""
    numbers = numbers.astype("uint8") & 15
    if numbers.shape[-1] % 2:
        numbers = numpy.concatenate([numbers, numpy.zeros((*numbers.shape[:-1], 1), "uint8")], -1)
    return numbers[..., ::2] | numbers[..., 1::2] << 4


def save(path, nodes, initializers, x, columns, dtype="float32"):
    kind = helper.np_dtype_to_tensor_dtype(numpy.dtype(dtype))
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", kind, x.shape)],
                              [helper.make_tensor_value_info("y", kind, [*x.shape[:-1], columns])], initializers)
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), path)


def nbits_case(random, path, rows, inner, columns, bits, block, zeros, level, dtype="float32", bias=False):
    """Returns the product in float64, and the scale of its error."""
    blocks = -(-inner // block)
    weights = random.integers(0, 1 << bits, (columns, blocks, block))
    scales = (random.random((columns, blocks)) * 0.05 + 0.01).astype(dtype)
    points = random.integers(0, 1 << bits, (columns, blocks)) if zeros else numpy.full((columns, blocks), 1 << bits - 1)
    x = random.standard_normal((*rows, inner)).astype(dtype)
    stored = [packed(weights) if bits == 4 else weights.astype("uint8"), scales.reshape(-1)]
    if zeros:
        stored.append((packed(points) if bits == 4 else points.astype("uint8")).reshape(-1))
    names = ["w", "s", "z"][:len(stored)]
    inputs = ["x", *names]
    if bias:
        inputs += [""] * (5 - len(inputs)) + ["b"]
        names.append("b")
        stored.append(random.standard_normal(columns).astype(dtype))
    node = helper.make_node("MatMulNBits", inputs, ["y"], domain="com.microsoft", K=inner, N=columns, bits=bits,
                            block_size=block, accuracy_level=level)
    save(path, [node], [numpy_helper.from_array(each, name) for each, name in zip(stored, names)], x, columns, dtype)
    wide = ((weights - points[..., None]) * scales.astype("float64")[..., None]).reshape(columns, -1)[:, :inner].T
    sums = x.astype("float64") @ wide + (stored[-1].astype("float64") if bias else 0)
    if level != 4:
        return x, sums, numpy.abs(x).astype("float64") @ numpy.abs(wide)
    most = numpy.concatenate([numpy.repeat(numpy.abs(x[..., k:k + block]).max(-1, keepdims=True), min(block, inner - k), -1)
                              for k in range(0, inner, block)], -1).astype("float64")
    return x, sums, most @ numpy.abs(wide)


def dequantised_case(random, path, rows, inner, columns, kind, way, zeros, product):
    """Writes DequantizeLinear of a matrix before `product`: MatMul, Gemm, Gemm with its factor
    transposed, or a Transpose."""
    flipped = product in ("Gemm of rows", "Transpose")
    shape = (columns, inner) if flipped else (inner, columns)
    axis = 1 if flipped else 0
    block = 16 if way == "block" else 0
    if way == "block":
        scale_shape = tuple(-(-size // block) if i == axis else size for i, size in enumerate(shape))
    else:
        scale_shape = () if way == "tensor" else (columns,)
        axis = 1 - axis
    scales = (random.random(scale_shape) * 0.05 + 0.01).astype("float32")
    tensor = getattr(onnx.TensorProto, kind)
    points = None
    if kind.startswith("FLOAT8"):
        stored = random.standard_normal(shape).astype("float32")
        initializers = [helper.make_tensor("w", tensor, shape, stored.reshape(-1))]
        numbers = numpy_helper.to_array(initializers[0]).astype("float64")
    else:
        low, high = {"INT4": (-8, 8), "UINT4": (0, 16), "INT8": (-128, 128), "UINT8": (0, 256)}[kind]
        numbers = random.integers(low, high, shape)
        initializers = [helper.make_tensor("w", tensor, shape, numbers.reshape(-1).tolist())]
        if zeros:
            points = random.integers(low, high, scale_shape)
            initializers.append(helper.make_tensor("z", tensor, scale_shape, points.reshape(-1).tolist()))
    initializers.append(numpy_helper.from_array(scales, "s"))
    named = {"axis": axis} if way != "tensor" else {}
    nodes = [helper.make_node("DequantizeLinear", ["w", "s", "z"][:2 if points is None else 3], ["f"], **named,
                              **({"block_size": block} if block else {}))]
    factor = "f"
    if product == "Transpose":
        nodes.append(helper.make_node("Transpose", ["f"], ["t"], perm=[1, 0]))
        factor = "t"
    x = random.standard_normal((*rows, inner)).astype("float32")
    if product.startswith("Gemm"):
        bias = random.standard_normal(columns).astype("float32")
        initializers.append(numpy_helper.from_array(bias, "b"))
        nodes.append(helper.make_node("Gemm", ["x", factor, "b"], ["y"], transB=int(flipped)))
    else:
        bias = numpy.zeros(columns)
        nodes.append(helper.make_node("MatMul", ["x", factor], ["y"]))
    save(path, nodes, initializers, x, columns)

    def spread(each):
        if way == "block":
            return numpy.repeat(each, block, 1 if flipped else 0)[:shape[0], :shape[1]]
        return each.reshape(-1, 1) if flipped and way == "column" else each

    wide = (numbers - (0 if points is None else spread(points))) * spread(scales.astype("float64"))
    wide = wide.T if flipped else wide
    wide = numpy.broadcast_to(wide, (inner, columns))
    return x, x.astype("float64") @ wide + bias, numpy.abs(x).astype("float64") @ numpy.abs(wide)


def gather_case(random, path, kind, way, zeros, axis, size=(37, 48)):
    """Writes a Gather along `axis` from a table that DequantizeLinear computes."""
    scale_shape = {"tensor": (), "column": size[:1], "block": (size[0], -(-size[1] // 16))}[way]
    low, high = {"INT4": (-8, 8), "UINT4": (0, 16), "INT8": (-128, 128), "UINT8": (0, 256)}[kind]
    numbers, points = random.integers(low, high, size), random.integers(low, high, scale_shape)
    scales = (random.random(scale_shape) * 0.05 + 0.01).astype("float32")
    tensor = getattr(onnx.TensorProto, kind)
    initializers = [helper.make_tensor("w", tensor, size, numbers.reshape(-1)), numpy_helper.from_array(scales, "s"),
                    helper.make_tensor("z", tensor, scale_shape, points.reshape(-1))][:3 if zeros else 2]
    named = {"block": {"axis": 1, "block_size": 16}, "column": {"axis": 0}, "tensor": {}}[way]
    x = numpy.array([[3, -1, 0], [size[axis] - 1, 7, 3]], "int64")
    nodes = [helper.make_node("DequantizeLinear", ["w", "s", "z"][:3 if zeros else 2], ["f"], **named),
             helper.make_node("Gather", ["f", "x"], ["y"], axis=axis)]
    shape = (*size[:axis], *x.shape, *size[axis + 1:])
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", onnx.TensorProto.INT64, x.shape)],
                              [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, shape)], initializers)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), path)
    return x


def check_gathers(program, folder):
    """Tables stay packed, and gathered rows have the bits of a table that was dequantized first."""
    random, path, problems = numpy.random.default_rng(4), folder / "model.onnx", []
    for kind, way, zeros, axis in itertools.product(("INT4", "UINT4", "INT8", "UINT8"), ("block", "column", "tensor"),
                                                    (False, True), (0, 1)):
        x = gather_case(random, path, kind, way, zeros, axis)
        result = run_ours(program, path, x, folder, "--trace")
        expected = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, {"x": x})[0]
        if result.shape != expected.shape or (result != expected).any():
            problems.append(f"a Gather of {kind} by {way} {zeros} along {axis} differs from ONNX Runtime's")
        if "GatherDequantized" not in run_ours.said:
            problems.append(f"a Gather of {kind} by {way} {zeros} along {axis} expands its table")
    return problems


def run_ours(program, path, x, folder, *options):
    numpy.save(folder / "x.npy", x)
    done = subprocess.run([program, path, "--input", f"x={folder / 'x.npy'}", "-o", folder / "out", *options],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    run_ours.said = done.stdout
    return numpy.load(folder / "out/y.npy")


def check(name, program, path, folder, x, sums, size, bound, peers_bound):
    """Both kinds of kernels are within `bound` of float64, and ONNX Runtime within its own bound:
    it also rounds rows to 8 bits in products with DequantizeLinear."""
    results = {"fast": run_ours(program, path, x, folder), "plain": run_ours(program, path, x, folder, "--kernels", "reference")}
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    results["ONNX Runtime"] = session.run(None, {"x": x})[0]
    problems = []
    for of, result in results.items():
        off = float((numpy.abs(result.astype("float64") - sums) / size).max())
        most = peers_bound if of == "ONNX Runtime" else bound
        if not off <= most or result.shape != sums.shape:
            problems.append(f"{name}: {of} is off by {off:.3g}, more than {most:.3g}")
    return problems


def cases(random, folder):
    """Yields (name, x, sums, size, bound, ONNX Runtime's bound) of a model at folder/model.onnx."""
    path = folder / "model.onnx"
    for (rows, inner, columns), bits, block, zeros, level in itertools.product(
            (((1,), 64, 33), ((2, 5), 96, 16), ((40,), 320, 50), ((1, 2), 100, 7)), (4, 8), (16, 32, 64), (False, True), (0, 4)):
        made = nbits_case(random, path, rows, inner, columns, bits, block, zeros, level)
        bound = 2 ** -7 if level == 4 else inner * 2 ** -23
        yield f"MatMulNBits {rows} {inner} {columns} {bits} bits {block} {zeros} {level}", *made, bound, bound
    made = nbits_case(random, path, (3,), 64, 40, 4, 32, True, 0, bias=True)
    yield "MatMulNBits with a bias", *made, 64 * 2 ** -23, 64 * 2 ** -23
    for rows in ((1,), (9,)):
        made = nbits_case(random, path, rows, 64, 40, 4, 32, False, 0, "float16")
        yield f"MatMulNBits {rows} float16", *made, 2 ** -9, 2 ** -9
    kinds = ("INT4", "UINT4", "INT8", "UINT8", "FLOAT8E4M3FN", "FLOAT8E5M2")
    for kind, way, zeros, product in itertools.product(kinds, ("block", "column", "tensor"), (False, True),
                                                       ("MatMul", "Gemm", "Gemm of rows", "Transpose")):
        if zeros and kind.startswith("FLOAT8"):
            continue
        rows, inner, columns = ((1,), 64, 33) if zeros else ((6,), 80, 18)
        made = dequantised_case(random, path, rows, inner, columns, kind, way, zeros, product)
        yield f"{product} of {kind} by {way} {zeros}", *made, inner * 2 ** -23, 1e-2


def check_lists(programs, folder):
    """Products that a list runs in 16 bits, and those that it keeps in float32: the converted model
    has as many bytes, and computes the same as the list. Where float32 multiplies 16-bit values,
    weights stay as they are stored."""
    random, path, problems = numpy.random.default_rng(3), folder / "model.onnx", []
    run, convert = programs
    mixed = folder / "mixed.onnx"
    kinds = (("INT8", "column", True, "MatMul"), ("UINT8", "tensor", True, "Gemm"), ("INT4", "block", False, "MatMul"),
             ("UINT4", "block", True, "Gemm of rows"), ("INT8", "column", False, "Transpose"))
    for kind, dtype, rows in itertools.product(kinds, ("float16", "bfloat16"), (1, 6)):
        name = f"{kind} in {dtype}"
        x, sums, size = dequantised_case(random, path, (rows,), 256, 96, *kind)
        subprocess.run([convert, path, "-o", mixed, "--target-dtype", dtype], check=True, capture_output=True)
        if mixed.stat().st_size > path.stat().st_size + 512:
            problems.append(f"{name}: {mixed.stat().st_size} bytes of {path.stat().st_size}")
        if dtype == "float16":
            onnxruntime.InferenceSession(mixed, providers=["CPUExecutionProvider"])
        converted = run_ours(run, mixed, x, folder, "--trace")
        stored = "MatMulNBits" in run_ours.said
        if stored != (os.environ[f"OPLEDGER_{dtype.upper()}"] == "widened"):
            problems.append(f"{name}: its weights are {'' if stored else 'not '}as they are stored")
        if (converted != run_ours(run, path, x, folder, "--autocast", dtype)).any():
            problems.append(f"{name}: a list yields other bits than the converted model")
        off = float((numpy.abs(converted - sums) / size).max())
        if off > (2 ** -9 if dtype == "float16" else 2 ** -6):
            problems.append(f"{name}: off by {off:.3g}")
    x, _, _ = dequantised_case(random, path, (6,), 64, 32, "INT8", "column", True, "MatMul")
    subprocess.run([convert, path, "-o", mixed, "--fp32-ops", "MatMul"], check=True, capture_output=True)
    if (run_ours(run, mixed, x, folder) != run_ours(run, path, x, folder)).any():
        problems.append("a product that stays in float32 changes")
    return problems


def check_memory(program, folder):
    """4-bit weights are never expanded to floats, for any node. The file's data stays, and products
    pack it into panels."""
    random, path, problems = numpy.random.default_rng(2), folder / "model.onnx", []
    made = {"MatMulNBits": (3, lambda size: nbits_case(random, path, (1,), size, size, 4, 32, False, 4)),
            "DequantizeLinear": (3, lambda size: dequantised_case(random, path, (1,), size, size, "INT4", "column", False, "MatMul")),
            "Gather": (2, lambda size: gather_case(random, path, "INT4", "block", False, 0, (size, size)))}
    for name, (most, make) in made.items():
        peaks = []
        for size in (64, 4096):
            make(size)
            taken, status, said = peak_memory([program, path, "--threads", "1", "--input", "x=random"], folder)
            assert status == 0, said
            peaks.append(taken)
        part = (peaks[1] - peaks[0]) / path.stat().st_size
        if part > most:
            problems.append(f"{name}: {part:.2f} of the model's size, at most {most}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1, help="only every Nth case")
    options = parser.parse_args()
    if onnx is None:
        peers.require(options.bin, "onnx", "onnxruntime")
    onnxruntime.set_default_logger_severity(4)
    for dtype in ("FLOAT16", "BFLOAT16"):
        os.environ.setdefault(f"OPLEDGER_{dtype}", "widened")
    program, problems, count = options.bin.resolve() / "opledger-run", [], 0
    with tempfile.TemporaryDirectory(prefix="opledger-packed-weights-") as folder:
        folder = pathlib.Path(folder)
        for i, (name, *made) in enumerate(cases(numpy.random.default_rng(1), folder)):
            if i % options.every:
                continue
            count += 1
            try:
                problems += check(name, program, folder / "model.onnx", folder, *made)
            except (AssertionError, RuntimeError) as error:
                problems.append(f"{name}: {str(error).strip()[:300]}")
        problems += check_lists((program, options.bin.resolve() / "opledger-convert"), folder)
        problems += check_gathers(program, folder)
        problems += check_memory(program, folder)
    print("\n".join([*problems, f"{count} cases, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
