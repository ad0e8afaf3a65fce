// SHA-256, for cache keys, checksums and the digests in reports.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace opledger {

// The digest of `bytes` as 64 lower-case hexadecimal digits.
std::string Sha256Hex(std::string_view bytes);
// As a page's security policy names a script.
std::string Sha256Base64(std::string_view bytes);

}  // namespace opledger
