// Finds the files that see an attribute set if several files declare a set of the same name. Such
// sets are in different namespaces, and no file includes two of them.
//   crop-inl.h and image/crop-inl.h declare CropParam: image/crop.cc reads the second
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry/scan/tree/tree.h"

namespace opledger::scan {

// Fills AttributeSet::readers for the sets of all files.
void NameReaders(SourceTree& tree);

}  // namespace opledger::scan
