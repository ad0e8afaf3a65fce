// Which nodes of a model have to stay in float32 so that its outputs are near enough: as few as can
// be found.
//   rank   the nodes by what each contributes to the error of the outputs
//   bisect how many of the first of them are enough
//   prune  whichever is not needed after all
// No node of the result can be left out. That it is the smallest such set is not certain: what two
// nodes do together may be less than what each does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace opledger {

// The error of the outputs where these nodes, numbers into all of them, stay in float32; one that
// is larger than `enough` need not be exact. None: it cannot be run, or was stopped.
using ErrorWhereKept =
    std::function<std::optional<double>(const std::vector<std::size_t>& kept, double enough)>;

struct Tuning {
  std::vector<std::size_t> kept;  // in their order
  bool met = false;               // else not even all of them are enough
  std::optional<double> before;   // with none of them kept; none: stopped before that was known
  // With `kept`; where it is not met, with all. None: stopped before that was known: all are kept.
  std::optional<double> error;
  std::size_t runs = 0;
  bool stopped = false;  // before all was tried: fewer may be enough
};

// As many nodes as are run alone, each once: no contributions are needed.
inline constexpr std::size_t kFewNodes = 40;

// `contributions`: of each node, where they are known at less cost than a run each; of few nodes
// they are measured. None: a run failed. `stop`: asked before each run but the first two, without
// which nothing is known, and after one that gave nothing; the rest are then not made.
std::optional<Tuning> Tune(const std::vector<double>& contributions, double max_error,
                           const ErrorWhereKept& error, const std::function<bool()>& stop);

}  // namespace opledger
