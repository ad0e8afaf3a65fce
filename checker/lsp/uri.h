// file: URIs, by which editors name files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace opledger {

// "file:///a%20b/c.cc" -> "/a b/c.cc". None: it is of another scheme or machine, or malformed.
std::optional<std::string> PathOfUri(std::string_view uri);

// `path` is absolute.
std::string UriOfPath(std::string_view path);

}  // namespace opledger
