// A tensor split into what an operation keeps and what it goes over.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/tensor.h"

namespace opledger {

// Where the elements stand, as offsets into the tensor: element j of group i is at
// groups[i] + members[j]. Groups are in the order of the output, members row-major.
struct Axes {
  std::vector<std::size_t> groups;
  std::vector<std::size_t> members;
  Dimensions kept;       // the shape without the axes
  Dimensions kept_ones;  // with 1 for each axis
};

// `axes` are dimensions of the shape, each once, none negative.
Axes SplitAxes(const Dimensions& shape, const Dimensions& axes);

}  // namespace opledger
