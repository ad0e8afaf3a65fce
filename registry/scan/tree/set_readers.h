// Which files see an attribute set, where several files declare one of its name: C++ tells them
// apart by namespaces, and nobody includes two.
//   crop-inl.h and image/crop-inl.h declare CropParam: image/crop.cc reads the second
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry/scan/tree/tree.h"

namespace opledger::scan {

// Fills AttributeSet::readers of all files' sets.
void NameReaders(SourceTree& tree);

}  // namespace opledger::scan
