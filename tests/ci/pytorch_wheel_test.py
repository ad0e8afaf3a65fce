#!/usr/bin/env python3
"""ci/pages/pytorch_wheel.py reads autocast's policies of the symbols that g++ makes of PyTorch's templates."""
# SPDX-License-Identifier: Apache-2.0

import json
import pathlib
import shutil
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/scan"))
from scanning import Skip, expect, main  # noqa: E402

# The declarations that the symbols are made of, as in PyTorch; the bodies are empty.
LIBRARY = """
#include <cstdint>
#include <optional>
namespace c10 {
enum class DeviceType : std::int8_t { CPU = 0, CUDA = 1, MTIA = 19 };
enum class ScalarType : std::int8_t {};
class Scalar {};
template <typename T> class ArrayRef {};
namespace guts { namespace typelist { template <typename... T> struct typelist {}; } }
}
namespace at {
using c10::ArrayRef; using c10::Scalar; using c10::ScalarType;
class Tensor {};
class Dimname {};
namespace _ops {
struct mm { static Tensor call(const Tensor&, const Tensor&) { return {}; } };
struct conv2d_padding { static Tensor call(const Tensor&, const Tensor&) { return {}; } };
struct cat { static Tensor call(const Tensor&, const Tensor&) { return {}; } };
}
Tensor norm(const Tensor&, const std::optional<Scalar>&, ScalarType) { return {}; }
Tensor norm(const Tensor&, const std::optional<Scalar>&, ArrayRef<std::int64_t>, bool, ScalarType) { return {}; }
Tensor norm(const Tensor&, const std::optional<Scalar>&, ArrayRef<Dimname>, bool, ScalarType) { return {}; }
namespace autocast {
enum class CastPolicy : std::uint8_t { lower_precision_fp = 0, fp32, fp32_set_opt_dtype, fp32_append_dtype, promote };
template <CastPolicy policy, c10::DeviceType device, class Redispatch, Redispatch* function, class Return, class List>
struct WrapFunction_ {};
template <CastPolicy policy, c10::DeviceType device, class Redispatch, Redispatch* function, class Return, class... Args>
struct WrapFunction_<policy, device, Redispatch, function, Return, c10::guts::typelist::typelist<Args...>> {
  static Return call(Args... args) { return {}; }
};
}
}
using namespace at; using namespace at::autocast; using c10::DeviceType;
template <CastPolicy P, DeviceType D, class F, F* f, class... A>
void* kernel() { return (void*)&WrapFunction_<P, D, F, f, Tensor, c10::guts::typelist::typelist<A...>>::call; }
using Two = Tensor(const Tensor&, const Tensor&);
template <class... A> using Norm = Tensor(const Tensor&, const std::optional<Scalar>&, A...);
using T = const Tensor&;
void* all[] = {
  kernel<CastPolicy::lower_precision_fp, DeviceType::CUDA, Two, &_ops::mm::call, T, T>(),
  kernel<CastPolicy::fp32_set_opt_dtype, DeviceType::CUDA, Two, &_ops::conv2d_padding::call, T, T>(),
  kernel<CastPolicy::promote, DeviceType::CPU, Two, &_ops::cat::call, T, T>(),
  kernel<CastPolicy::fp32, DeviceType::MTIA, Two, &_ops::mm::call, T, T>(),
  kernel<CastPolicy::fp32_append_dtype, DeviceType::CUDA, Norm<ScalarType>, &at::norm, T>(),
  kernel<CastPolicy::fp32_append_dtype, DeviceType::CUDA, Norm<ArrayRef<std::int64_t>, bool, ScalarType>, &at::norm, T>(),
  kernel<CastPolicy::fp32_append_dtype, DeviceType::CUDA, Norm<ArrayRef<Dimname>, bool, ScalarType>, &at::norm, T>()};
"""
FUNCTIONS = """- func: mm(Tensor self, Tensor mat2) -> Tensor
- func: conv2d.padding(Tensor input, Tensor weight) -> Tensor
- func: cat(Tensor[] tensors, int dim=0) -> Tensor
"""


def test_symbols(bin_folder, folder):
    del bin_folder
    for program in ("g++", "nm"):
        if shutil.which(program) is None:
            raise Skip(f"{program} is missing")
    (folder / "autocast.cpp").write_text(LIBRARY)
    subprocess.run(["g++", "-std=c++17", "-w", "-shared", "-fPIC", "-o", "autocast.so", "autocast.cpp"], cwd=folder,
                   check=True)
    with zipfile.ZipFile(folder / "torch.whl", "w") as wheel:
        wheel.write(folder / "autocast.so", "torch/lib/libtorch_cpu.so")
        wheel.writestr("torchgen/packaged/ATen/native/native_functions.yaml", FUNCTIONS)
    subprocess.run([sys.executable, "-B", ROOT / "ci/pages/pytorch_wheel.py", "torch.whl", "."], cwd=folder, check=True)
    lists = {path.stem: json.loads(path.read_text()) for path in folder.glob("*16-*.json")}
    expect(lists == {
        "bfloat16-cpu": {"framework": "pytorch", "target_dtype": "bfloat16", "device": "cpu", "widest": ["aten::cat"]},
        "float16-cuda": {
            "framework": "pytorch", "target_dtype": "float16", "device": "cuda", "target": ["aten::_cudnn_rnn", "aten::mm"],
            "fp32": ["aten::binary_cross_entropy", "aten::conv2d.padding", "aten::norm.Scalar", "aten::norm.ScalarOpt_dim",
                     "aten::norm.names_ScalarOpt_dim"]}}, lists)


if __name__ == "__main__":
    sys.exit(main(globals()))
