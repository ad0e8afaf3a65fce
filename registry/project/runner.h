// The program that runs models. pip's `opledger[run]` puts opledger-run-onednn beside opledger-run:
// the same with PyPI's oneDNN, and so faster; but it needs libraries of the system.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace opledger {

inline constexpr const char* kRunner = "opledger-run";
inline constexpr const char* kOnednnRunner = "opledger-run-onednn";

// What opledger-run-onednn says when it is started. Nothing is started where it is not installed.
struct OnednnRunner {
  bool installed = false;
  std::string version;  // "0.1.0, oneDNN 3.2.0 (avx2), on avx2, no CUDA"; or empty
  std::string problem;  // why it cannot be used: "libgomp.so.1: cannot open shared object file"
};
OnednnRunner TryOnednnRunner();

// kOnednnRunner where that is there, starts and is of this version; else kRunner.
std::string ChooseRunner();

}  // namespace opledger
