// The memory limit of models. Sizes come from files, so allocations that would exceed the limit are
// refused by name beforehand; otherwise the machine would swap or the program be killed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace opledger {

// Defaults to three quarters of the memory of the machine or of the control group.
void SetMemoryLimit(std::size_t bytes);
std::size_t MemoryLimit();

// Bytes of tensors allocated now (constant_tensor.h counts them), and bytes left of the limit.
void CountMemory(std::ptrdiff_t bytes);
std::size_t MemoryInUse();
std::size_t MemoryLeft();

// "512M", "16G", "1048576": powers of 1024. Returns nullopt for 0 and if the text is not a size.
std::optional<std::size_t> ParseMemorySize(std::string_view text);
// "1.5 GiB".
std::string MemoryText(std::size_t bytes);

// "4.0 TiB, more than the 12.0 GiB that --memory-limit leaves".
std::string TooMuchMemory(std::size_t bytes);

}  // namespace opledger
