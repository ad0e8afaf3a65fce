// Chooses the program that runs models. `pip install opledger[run]` installs opledger-run-onednn
// next to opledger-run. It uses PyPI's oneDNN and is therefore faster, but it needs system
// libraries.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace opledger {

inline constexpr const char* kRunner = "opledger-run";
inline constexpr const char* kOnednnRunner = "opledger-run-onednn";

// The result of starting opledger-run-onednn. Not started if it is not installed.
struct OnednnRunner {
  bool installed = false;
  std::string version;  // "1.2.3, oneDNN 3.2.0 (avx2), on avx2, no CUDA"; or empty
  std::string problem;  // why it cannot be used: "libgomp.so.1: cannot open shared object file"
};
OnednnRunner TryOnednnRunner();

// Returns kOnednnRunner if it is installed, starts and has this version, otherwise kRunner.
std::string ChooseRunner();

}  // namespace opledger
