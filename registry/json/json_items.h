// Reading a JSON file whose arrays may hold millions of items without a tree of them all: each item
// of an array in the root object is shown when it is read, and what is taken is then dropped.
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

// `key`: the member of the root that is the array. True: the item can go. The first of an array
// stays all the same: it shows how the array is laid out. What follows may still be malformed.
using TakeItem =
    std::function<bool(const JsonDocument& document, std::string_view key, const JsonValue& item)>;

// As ReadJson and ParseJson.
std::optional<JsonDocument> ReadJsonItems(const Source& source, const std::string& path,
                                          Reach reach, const TakeItem& take,
                                          Diagnostics& diagnostics);
std::optional<JsonDocument> ParseJsonItems(std::string path, std::string text, const TakeItem& take,
                                           Diagnostics& diagnostics);

}  // namespace opledger
