// Hides the differences between oneDNN 2.6 and 3.x from the files that make primitives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dnnl.hpp>
#include <string>
#include <string_view>

namespace opledger::onednn {

// Returns a primitive descriptor. `what`: tensors, strides and pads in oneDNN's order, which both
// versions share; 2.6 takes them as a separate object.
template <typename Operation, typename... What>
typename Operation::primitive_desc Describe(const dnnl::engine& engine,
                                            const dnnl::primitive_attr& attributes,
                                            const What&... what) {
#if DNNL_VERSION_MAJOR < 3
  return {typename Operation::desc(what...), attributes, engine};
#else
  return {engine, what..., attributes};
#endif
}

// 2.6 takes a scale, too.
inline void AppendElementwise(dnnl::post_ops& operations, dnnl::algorithm algorithm, float alpha,
                              float beta) {
#if DNNL_VERSION_MAJOR < 3
  operations.append_eltwise(1.0F, algorithm, alpha, beta);
#else
  operations.append_eltwise(algorithm, alpha, beta);
#endif
}

// 2.6 calls an instruction set "cpu_isa_avx2" in one place and "avx2" in another.
inline std::string InstructionSetName(std::string_view name) {
  constexpr std::string_view kPrefix = "cpu_isa_";
  return std::string(name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name);
}

}  // namespace opledger::onednn
