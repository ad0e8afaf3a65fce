// Makes primitives of matrix products: two dimensions, or three with a batch in front.
// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string_view>

#include "kernels/machine/parallel.h"
#include "kernels/onednn/onednn_versions.h"
#include "kernels/onednn/primitive_state.h"

namespace opledger::onednn {
namespace {

using Tag = dnnl::memory::format_tag;
using Type = dnnl::memory::data_type;

dnnl::memory::desc Matrix(bool stacked, std::int64_t batch, std::int64_t rows, std::int64_t columns,
                          Type type, bool transposed) {
  if (!stacked) return {{rows, columns}, type, transposed ? Tag::ba : Tag::ab};
  return {{batch, rows, columns}, type, transposed ? Tag::acb : Tag::abc};
}

// Returns a descriptor that lets oneDNN choose the layout.
dnnl::memory::desc AnyMatrix(bool stacked, const Matmul& matmul, Type type) {
  if (!stacked) return {{matmul.inner, matmul.columns}, type, Tag::any};
  return {{matmul.weights_batch, matmul.inner, matmul.columns}, type, Tag::any};
}

// `gemm` copies the columns of the weights in every run. If rows are whole pages, all elements of a
// column map to the same cache lines, so this adds space between the rows. Returns nullopt if that
// does not apply.
std::optional<dnnl::memory::desc> SpreadRows(bool stacked, const Matmul& matmul, Type type,
                                             std::string_view implementation) {
  constexpr std::int64_t kPage = 4096;
  constexpr std::int64_t kBetween = 16;
  const bool same_lines = matmul.columns * static_cast<std::int64_t>(sizeof(float)) % kPage == 0;
  if (stacked || !matmul.packs || type != Type::f32 || !same_lines) return std::nullopt;
  if (!implementation.starts_with("gemm")) return std::nullopt;
  return dnnl::memory::desc({matmul.inner, matmul.columns}, type,
                            dnnl::memory::dims{matmul.columns + kBetween, 1});
}

}  // namespace

std::shared_ptr<Primitive> MakeMatmul(const Matmul& matmul) {
  const bool stacked = matmul.batch != 1;
  const Type type = TypeOf(matmul.dtype);
  const auto source = Matrix(stacked, matmul.source_batch, matmul.rows, matmul.inner, type,
                             matmul.transpose_source);
  const auto weights = Matrix(stacked, matmul.weights_batch, matmul.inner, matmul.columns, type,
                              matmul.transpose_weights);
  const auto addend = Matrix(stacked, matmul.batch, matmul.rows, matmul.columns, type, false);
  const Type to = TypeOf(matmul.result_dtype);
  const auto result = Matrix(stacked, matmul.batch, matmul.rows, matmul.columns, to, false);
  const auto row = Matrix(stacked, 1, 1, matmul.columns, Type::f32, false);
  const auto packed = matmul.packs ? AnyMatrix(stacked, matmul, type) : weights;
  const auto work =
      static_cast<std::size_t>(matmul.batch * matmul.rows * matmul.inner * matmul.columns);
  const OpenMpThreads threads(work);
  try {
    State::Operations operations{};
    const auto attributes = AttributesOf(matmul.epilogue, addend, row, operations);
    const auto bias = matmul.biased ? row : dnnl::memory::desc();
    auto made = Describe<dnnl::matmul>(Engine(), attributes, source, packed, bias, result);
    if (const auto spread = SpreadRows(stacked, matmul, type, made.impl_info_str())) {
      made = Describe<dnnl::matmul>(Engine(), attributes, source, *spread, bias, result);
    }
    return Assemble<dnnl::matmul>(made, {source, weights, row, result, addend, row}, matmul.biased,
                                  matmul.epilogue, operations, work);
  } catch (const dnnl::error&) {
    return nullptr;
  }
}

}  // namespace opledger::onednn
