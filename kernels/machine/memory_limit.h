// How much memory models may take. Sizes come from files: what would not fit is refused before it
// is asked for, by name, where else the machine would stand still or the program be killed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace opledger {

// Three quarters of the machine's memory, or of what the control group leaves this process, unless
// somebody says otherwise.
void SetMemoryLimit(std::size_t bytes);
std::size_t MemoryLimit();

// Bytes of tensors that live now (constant_tensor.h counts them), and what the limit leaves.
void CountMemory(std::ptrdiff_t bytes);
std::size_t MemoryInUse();
std::size_t MemoryLeft();

// "512M", "16G", "1048576": powers of 1024. None: it is no such size, or 0.
std::optional<std::size_t> ParseMemorySize(std::string_view text);
// "1.5 GiB".
std::string MemoryText(std::size_t bytes);

// "4.0 TiB, more than the 12.0 GiB that --memory-limit leaves".
std::string TooMuchMemory(std::size_t bytes);

}  // namespace opledger
