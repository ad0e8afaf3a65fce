// Reads arbitrary bytes as a facts file, which shards exchange: must not crash or hang, and either
// reads its records or reports why not. Corrects a wrong checksum, so that the code behind it is
// tested.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>

#include "registry/files/sha256.h"
#include "registry/scan/facts/facts_file.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

using opledger::fuzz::Require;

constexpr std::string_view kOpens = "{\"sha256\":\"";
constexpr std::string_view kCloses = "\"}\n";

void Mend(std::string& text) {
  const std::size_t line = kOpens.size() + 64 + kCloses.size();
  if (text.size() < line || !text.ends_with(kCloses)) return;
  const std::size_t at = text.size() - line;
  if (text.compare(at, kOpens.size(), kOpens) != 0) return;
  text.replace(at + kOpens.size(), 64, opledger::Sha256Hex(std::string_view(text).substr(0, at)));
}

}  // namespace

FUZZ_TARGET(facts_file) {
  using namespace opledger;
  std::string text(reinterpret_cast<const char*>(data), size);
  Mend(text);
  scan::FactsFileProblem problem;
  const auto file = scan::ParseFactsFile("fuzz.facts", std::move(text), problem);
  Require(file.has_value() == problem.what.empty(), "a problem if and only if it is refused");
  if (!file) return 0;
  scan::FactsFileWriter writer(file->header);
  Diagnostics diagnostics;
  std::size_t records = 0;
  const bool read = file->ForEach(
      [&](scan::FileFacts facts) {
        writer.Add(facts);
        ++records;
      },
      diagnostics);
  Require(read != diagnostics.has_errors(), "an error if and only if a record is refused");
  if (!read) return 0;
  // Records survive writing and reading.
  const auto again = scan::ParseFactsFile("again.facts", writer.Finish(), problem);
  Require(again.has_value(), "written facts can be read");
  std::size_t more = 0;
  Require(again->ForEach([&](const scan::FileFacts&) { ++more; }, diagnostics) && more == records,
          "as many records again");
  return 0;
}
