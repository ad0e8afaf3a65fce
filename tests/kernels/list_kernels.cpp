// list-kernels text|json: prints which kernels are registered in this build.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>

#include "kernels/kernel_list.h"

int main(int argc, char** argv) {
  const std::string format = argc == 2 ? argv[1] : "";
  if (format != "text" && format != "json") {
    std::fputs("list-kernels: say text or json\n", stderr);
    return 2;
  }
  std::fputs(opledger::ListKernels(format).c_str(), stdout);
  return 0;
}
