// Measures the ceilings of this GPU by copies and by cuBLASLt, and the fraction of them that each
// kernel reaches. Uses random data, since zeros take less power and run faster.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <string>

#include "kernels/cuda/module/chain_codes.h"
#include "kernels/cuda/selftest/selftest.h"

namespace opledger::cuda::selftest {
namespace {

constexpr int kRuns = 11;

double MedianSeconds(const Session& session, const std::function<const char*()>& launch) {
  session.Must(launch());  // warms up
  std::vector<double> seconds;
  for (int i = 0; i < kRuns; ++i) {
    session.Must(session.module->mark(0));
    session.Must(launch());
    session.Must(session.module->mark(1));
    session.Must(session.module->wait());
    double own = 0;
    session.Must(session.module->seconds(0, 1, &own));
    seconds.push_back(own);
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[kRuns / 2];
}

struct Memory {
  std::int64_t count;  // float32 elements in each
  Buffer a;
  Buffer b;
  Buffer small;
};

void Measure(Session& session, const std::string& name, double bytes, double ceiling,
             const std::function<const char*()>& launch) {
  session.speeds.push_back({name, bytes, MedianSeconds(session, launch), ceiling, "GB/s"});
}

void MeasureChains(Session& session, const Memory& memory, double ceiling) {
  for (const ElementType type : kTypes) {
    for (const int steps : {1, 4, 8}) {
      Chain chain = {};
      chain.count = memory.count;
      chain.out = memory.b.data();
      chain.out_type = type;
      chain.operands = 1;
      chain.operand[0].data = memory.a.data();
      chain.operand[0].type = type;
      for (; chain.steps < steps; ++chain.steps) {
        const std::uint8_t codes[] = {kMulNumber, kAddNumber, kUnaryRelu, kMulNumber};
        chain.step[chain.steps] = {codes[chain.steps % 4], 0, 0.99F, 0};
      }
      Measure(session, "chain of " + std::to_string(steps) + " " + NameOf(type),
              2.0 * static_cast<double>(SizeOf(type)) * static_cast<double>(memory.count), ceiling,
              [&] { return session.module->chain(&chain); });
    }
    Chain gelu = {};
    gelu.count = memory.count;
    gelu.out = memory.b.data();
    gelu.out_type = type;
    gelu.operands = 1;
    gelu.operand[0].data = memory.a.data();
    gelu.operand[0].type = type;
    gelu.steps = 1;
    gelu.step[0].code = kUnaryGelu;
    Measure(session, std::string("Gelu ") + NameOf(type),
            2.0 * static_cast<double>(SizeOf(type)) * static_cast<double>(memory.count), ceiling,
            [&] { return session.module->chain(&gelu); });
  }
}

void MeasureRows(Session& session, const Memory& memory, double ceiling) {
  for (const ElementType type : {kF16, kBf16}) {
    for (const std::int64_t size : {512, 1024, 2048, 8192}) {
      const std::int64_t rows = memory.count / size;
      const double bytes = 2.0 * 2.0 * static_cast<double>(rows * size);
      const SoftmaxCall softmax{type, 0, memory.a.data(), memory.b.data(), rows, size};
      const std::string of = std::to_string(size) + " " + NameOf(type);
      Measure(session, "softmax of " + of, bytes, ceiling,
              [&] { return session.module->softmax(&softmax); });
      const NormaliseCall norm{type,
                               type,
                               1,
                               1,
                               1e-5,
                               memory.a.data(),
                               memory.a.data(),
                               memory.a.data(),
                               memory.b.data(),
                               nullptr,
                               nullptr,
                               rows,
                               size,
                               1,
                               size};
      Measure(session, "layer norm of " + of, bytes, ceiling,
              [&] { return session.module->normalise(&norm); });
      ReduceCall reduce = {};
      reduce.work = kReduceSum;
      reduce.type = type;
      reduce.in = memory.a.data();
      reduce.out = memory.b.data();
      reduce.groups = {1, {rows}, {size}};
      reduce.members = {1, {size}, {1}};
      Measure(session, "sum of " + of, bytes / 2, ceiling,
              [&] { return session.module->reduce(&reduce); });
    }
  }
}

void MeasureProducts(Session& session, const Memory& memory) {
  const Buffer workspace(session, std::size_t{32} << 20);
  for (const ElementType type : {kBf16, kF16, kF32}) {
    double peak = 0;
    const std::size_t first = session.speeds.size();
    for (const std::int64_t n : session.quick ? std::vector<std::int64_t>{32, 16}
                                              : std::vector<std::int64_t>{8192, 4096, 2048}) {
      MatrixCall call = {};
      call.type = call.out_type = type;
      call.rows = call.inner = call.columns = n;
      call.batch = 1;
      call.a = memory.a.data();
      call.b = memory.a.data();
      call.out = memory.b.data();
      call.workspace = workspace.data();
      call.workspace_size = std::size_t{32} << 20;
      const double operations = 2.0 * static_cast<double>(n) * static_cast<double>(n * n);
      const double seconds =
          MedianSeconds(session, [&] { return session.module->multiply(&call); });
      peak = std::max(peak, operations / seconds);
      session.speeds.push_back({"product " + std::to_string(n) + "^3 " + NameOf(type), operations,
                                seconds, 0, "TFLOP/s"});
    }
    for (std::size_t i = first; i < session.speeds.size(); ++i) session.speeds[i].ceiling = peak;
  }
}

// Causal attention of 32 heads with 8 heads of keys. For a prompt, compares operations; for one
// row, as in a decoder's step, the bytes of keys and values.
void MeasureAttention(Session& session, const Memory& memory, double ceiling) {
  constexpr std::int64_t kHead = 128;
  const std::int64_t columns = session.quick ? 64 : 4096;
  for (const ElementType type : kTypes) {
    AttentionCall call = {};
    call.type = type;
    call.causal = 1;
    call.scale = 0.297F;
    call.q = call.k = call.v = memory.a.data();
    call.out = memory.b.data();
    call.q_heads = session.quick ? 2 : 32;
    call.kv_heads = session.quick ? 1 : 8;
    call.columns = columns;
    call.head = call.value = kHead;
    call.left = call.right = -1;
    call.k_steps = call.v_steps = {call.kv_heads * columns * kHead, columns * kHead, kHead};
    call.q_rows = columns;
    call.batches = 1;
    call.q_steps = call.out_steps = {call.q_heads * columns * kHead, columns * kHead, kHead};
    const auto heads = static_cast<double>(call.q_heads);
    const auto size = static_cast<double>(columns);
    const std::string of = std::to_string(columns) + " columns " + NameOf(type);
    session.speeds.push_back({"attention of a prompt, " + of, 2.0 * heads * size * size * kHead,
                              MedianSeconds(session, [&] { return session.module->attend(&call); }),
                              0, "TFLOP/s"});
    call.batches = session.quick ? 1 : 16;
    call.q_rows = 1;
    call.past = columns - 1;
    call.q_steps = call.out_steps = {call.q_heads * kHead, kHead, kHead};
    const std::int64_t read = call.batches * call.kv_heads * columns * kHead * 2;
    Measure(session, "attention of one row, " + of,
            static_cast<double>(read) * static_cast<double>(SizeOf(type)), ceiling,
            [&] { return session.module->attend(&call); });
  }
}

void MeasureQuantized(Session& session, const Memory& memory, double ceiling) {
  const Buffer scale(session, std::vector<float>{0.05F});
  for (const ElementType type : kTypes) {
    QuantizeCall call = {};
    call.type = type;
    call.scale_type = kF32;
    call.quantized = kI8;
    call.in = memory.a.data();
    call.scale = scale.data();
    call.out = memory.b.data();
    call.outer = call.length = call.block = 1;
    call.inner = memory.count;
    const double moved = static_cast<double>(memory.count);
    Measure(session, std::string("quantize ") + NameOf(type) + " to int8",
            moved * static_cast<double>(SizeOf(type) + 1), ceiling,
            [&] { return session.module->quantize(&call); });
  }
  QuantizeCall call = {};
  call.scale_type = kF32;
  call.quantized = kI8;
  call.in = memory.a.data();
  call.scale = scale.data();
  call.out = memory.b.data();
  call.outer = call.length = call.block = 1;
  call.inner = memory.count;
  Measure(session, "dequantize int8 to float32", 5.0 * static_cast<double>(memory.count), ceiling,
          [&] { return session.module->dequantize(&call); });
}

}  // namespace

void MeasureSpeeds(Session& session) {
  // A gigabyte each, which fits into no cache.
  const std::int64_t count = session.quick ? 1 << 14 : 1 << 28;
  const auto bytes = static_cast<std::size_t>(count) * sizeof(float);
  Memory memory{count, Buffer(session, bytes), Buffer(session, bytes), Buffer(session, 64)};
  std::vector<float> numbers(std::min<std::size_t>(static_cast<std::size_t>(count), 1 << 20));
  for (float& number : numbers) number = session.RandomNormal();
  // The halves of such values are also ordinary values, or nearly so, as bfloat16 and float16.
  for (std::size_t at = 0; at < bytes; at += numbers.size() * sizeof(float)) {
    session.Must(session.module->copy_in(numbers.data(),
                                         static_cast<std::byte*>(memory.a.data()) + at,
                                         numbers.size() * sizeof(float)));
  }
  const double moved = 2.0 * static_cast<double>(bytes);
  const double copied = MedianSeconds(session, [&] {
    return session.module->copy_within(memory.a.data(), memory.b.data(), bytes);
  });
  const double ceiling = moved / copied;
  session.speeds.push_back({"copy", moved, copied, ceiling, "GB/s"});
  for (const auto& [from, to] :
       {std::pair{kF32, kF16}, {kF32, kBf16}, {kF16, kF32}, {kBf16, kF32}}) {
    const CastCall cast{from, to, memory.a.data(), memory.b.data(), count};
    Measure(session, std::string("cast ") + NameOf(from) + " to " + NameOf(to),
            static_cast<double>((SizeOf(from) + SizeOf(to)) * static_cast<std::size_t>(count)),
            ceiling, [&] { return session.module->cast(&cast); });
  }
  MeasureChains(session, memory, ceiling);
  MeasureRows(session, memory, ceiling);
  MeasureQuantized(session, memory, ceiling);
  MeasureProducts(session, memory);
  MeasureAttention(session, memory, ceiling);
}

}  // namespace opledger::cuda::selftest
