// Where facts are kept between runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace opledger {

struct CacheFolder {
  std::string path;           // empty: there is none
  const char* variable = "";  // of the environment, that said so
};

// $OPLEDGER_CACHE_DIR, else $XDG_CACHE_HOME/opledger, else $HOME/.cache/opledger.
CacheFolder FindCacheFolder();

}  // namespace opledger
