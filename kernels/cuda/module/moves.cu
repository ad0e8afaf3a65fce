// Moves elements without computing: strided copies, transposes through shared memory, and gathers.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/module/device_code.h"
#include "kernels/cuda/module/launchers.h"

namespace opledger::cuda {
namespace {

constexpr int kTile = 32;
constexpr int kTileRows = 8;  // rows of threads

__device__ __forceinline__ std::int64_t ElementPlace(const StridedLayout& layout, std::int64_t i) {
  std::int64_t place = 0;
  for (int d = layout.rank - 1; d > 0; --d) {
    place += i % layout.size[d] * layout.stride[d];
    i /= layout.size[d];
  }
  return layout.rank > 0 ? place + i * layout.stride[0] : place;
}

template <typename T>
__global__ void CopyStrided(const T* in, T* out, const StridedLayout from, const StridedLayout to,
                            std::int64_t count) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; i < count; i += stride) out[ElementPlace(to, i)] = in[ElementPlace(from, i)];
}

// Transposes `stacks` matrices of rows x columns, reading and writing rows. Rows in shared memory
// are padded by one element, so that columns are in different banks.
template <typename T>
__global__ void TransposeTiles(const T* in, T* out, std::int64_t stacks, std::int64_t rows,
                               std::int64_t columns) {
  __shared__ T tile[kTile][kTile + 1];
  const std::int64_t across = (columns + kTile - 1) / kTile;
  const std::int64_t down = (rows + kTile - 1) / kTile;
  const unsigned x = threadIdx.x % kTile;
  const unsigned y = threadIdx.x / kTile;
  for (std::int64_t at = blockIdx.x; at < stacks * across * down; at += gridDim.x) {
    const std::int64_t stack = at / (across * down) * rows * columns;
    const std::int64_t row = at / across % down * kTile;
    const std::int64_t column = at % across * kTile;
    for (unsigned i = y; i < kTile; i += kTileRows) {
      if (row + i < rows && column + x < columns) {
        tile[i][x] = in[stack + (row + i) * columns + column + x];
      }
    }
    __syncthreads();
    for (unsigned i = y; i < kTile; i += kTileRows) {
      if (column + i < columns && row + x < rows) {
        out[stack + (column + i) * rows + row + x] = tile[x][i];
      }
    }
    __syncthreads();
  }
}

template <typename T, typename Index>
__global__ void GatherBlocks(const GatherCall call) {
  const std::int64_t count = call.outer * call.index_count * call.inner;
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; i < count; i += stride) {
    const std::int64_t block = i / call.inner;
    const std::int64_t outer = block / call.index_count;
    auto index = static_cast<std::int64_t>(
        static_cast<const Index*>(call.indices)[block % call.index_count]);
    if (index < 0) index += call.size;
    const bool inside = index >= 0 && index < call.size;
    const std::int64_t from = (outer * call.size + index) * call.inner + i % call.inner;
    static_cast<T*>(call.out)[i] = inside ? static_cast<const T*>(call.in)[from] : T(0);
  }
}

// Merges adjacent dimensions that both sides step through alike, and drops those of one element.
void Join(StridedLayout& from, StridedLayout& to) {
  int rank = 0;
  for (int d = 0; d < from.rank; ++d) {
    if (from.size[d] == 1) continue;
    const bool joins = rank > 0 && from.stride[rank - 1] == from.stride[d] * from.size[d] &&
                       to.stride[rank - 1] == to.stride[d] * to.size[d];
    const int at = joins ? rank - 1 : rank++;
    for (StridedLayout* layout : {&from, &to}) {
      layout->size[at] = joins ? layout->size[at] * layout->size[d] : layout->size[d];
      layout->stride[at] = layout->stride[d];
    }
  }
  from.rank = rank;
  to.rank = rank;
}

bool IsDense(const StridedLayout& layout) {
  std::int64_t stride = 1;
  for (int d = layout.rank - 1; d >= 0; --d) {
    if (layout.stride[d] != stride) return false;
    stride *= layout.size[d];
  }
  return true;
}

// Returns whether the copy exchanges the last two dimensions of a stack of matrices and nothing
// else.
bool IsTransposition(const StridedLayout& from, const StridedLayout& to) {
  if ((from.rank != 2 && from.rank != 3) || !IsDense(to)) return false;
  const int d = from.rank - 2;
  return from.stride[d] == 1 && from.stride[d + 1] == from.size[d] &&
         (d == 0 || from.stride[0] == from.size[1] * from.size[2]);
}

template <typename T>
const char* CopyElements(const CopyCall& call, std::int64_t count) {
  const auto* in = static_cast<const T*>(call.in);
  auto* out = static_cast<T*>(call.out);
  if (IsTransposition(call.from, call.to)) {
    const int d = call.from.rank - 2;
    const std::int64_t stacks = d == 0 ? 1 : call.from.size[0];
    const std::int64_t columns = call.from.size[d];  // of the input
    const std::int64_t rows = call.from.size[d + 1];
    const std::int64_t tiles =
        stacks * ((columns + kTile - 1) / kTile) * ((rows + kTile - 1) / kTile);
    return Launch(&TransposeTiles<T>, Blocks(tiles, 1), kTile * kTileRows, 0, in, out, stacks, rows,
                  columns);
  }
  return Launch(&CopyStrided<T>, Blocks(count, kThreads), kThreads, 0, in, out, call.from, call.to,
                count);
}

template <typename Use>
const char* BySize(std::int32_t element, const Use& use) {
  if (element == 1) return use(std::uint8_t{});
  if (element == 2) return use(std::uint16_t{});
  if (element == 4) return use(std::uint32_t{});
  if (element == 8) return use(std::uint64_t{});
  return Refusal("the size of elements is not supported");
}

}  // namespace

const char* LaunchCopy(const CopyCall* call) {
  std::int64_t count = 1;
  for (int d = 0; d < call->from.rank; ++d) count *= call->from.size[d];
  if (count == 0) return nullptr;
  CopyCall joined = *call;
  Join(joined.from, joined.to);
  return BySize(call->element, [&]<typename T>(T) { return CopyElements<T>(joined, count); });
}

const char* LaunchGather(const GatherCall* call) {
  const std::int64_t count = call->outer * call->index_count * call->inner;
  if (count == 0) return nullptr;
  return BySize(call->element, [&]<typename T>(T) {
    return Launch(
        call->index_type == kI32 ? &GatherBlocks<T, std::int32_t> : &GatherBlocks<T, std::int64_t>,
        Blocks(count, kThreads), kThreads, 0, *call);
  });
}

}  // namespace opledger::cuda
