// Reads JSON files whose arrays may have millions of items without building a tree of all of them.
// Each item of an array in the root object is passed to a callback, which may let it be dropped.
// In: text. Out: the items, one by one; the tree of the rest.
// May include: registry/platform, registry/source, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "registry/json/json.h"

namespace opledger {

// Called for each item. `key` is the member of the root that holds the array. If it returns true,
// the item is dropped, except for the first of an array, which shows the array's layout. The text
// after the item may still be malformed.
using TakeItem =
    std::function<bool(const JsonDocument& document, std::string_view key, const JsonValue& item)>;

// Like ReadJson and ParseJson, with a callback for items.
std::optional<JsonDocument> ReadJsonItems(const Source& source, const std::string& path,
                                          Reach reach, const TakeItem& take,
                                          Diagnostics& diagnostics);
std::optional<JsonDocument> ParseJsonItems(std::string path, std::string text, const TakeItem& take,
                                           Diagnostics& diagnostics);

}  // namespace opledger
