// Scans arbitrary bytes as C++ source, up to operators.json, which is read back. Text before a line
// "-- source --" is the dialect. Must not crash or hang. Tasks that a worker would give up, such as
// a macro bomb, are given up here, too.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>
#include <string_view>

#include "registry/scan/commands/outlines_file.h"
#include "registry/scan/macros/macros.h"
#include "registry/scan/merge/merge.h"
#include "registry/scan/tree/set_readers.h"
#include "registry/scan/unit/unit.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/registry/scratch_folder.h"

namespace {

using opledger::fuzz::Require;

struct GivenUp {};

constexpr std::string_view kLine = "-- source --\n";
constexpr const char* kDialect = R"({
  "name": "demo", "sources": ["**"], "extensions": [".cc"],
  "sinks": [{"macro": "REGISTER"}, {"macro": "NNVM_REGISTER_OP"}],
  "chain": [{"method": "add_alias", "field": "alias"}, {"method": "set_attr", "field": "attr"}],
  "suspicious": {"containing": "REGISTER"}})";

}  // namespace

// Replaces FailTask at link time, since there is no worker process to end.
extern "C" [[noreturn]] void
__wrap__ZN8opledger4scan8FailTaskESt17basic_string_viewIcSt11char_traitsIcEE(std::string_view) {
  throw GivenUp();
}

// Clang's memory of an abandoned task is not freed.
extern "C" int __lsan_is_turned_off() { return 1; }

namespace {

void Scan(const opledger::Dialect& dialect, const std::string& root, const std::string& text) {
  using namespace opledger::scan;
  SourceTree tree(opledger::DiskSource(root), dialect.include_directories);
  std::vector<SourceFile> files(1);
  files[0].path = "a.cc";
  files[0].is_unit = true;
  const std::string with_end = text + '\0';
  files[0].content = DigestOf(with_end);
  files[0].outline = MakeOutline(with_end, dialect);
  std::vector<opledger::Incomplete> incomplete;
  MakeTree(tree, std::move(files), incomplete);
  NameReaders(tree);
  const MacroIndex index(tree, dialect);
  for (const bool exhaustive : {false, true}) {
    const UnitScanner scanner{tree, index, dialect, exhaustive, {2, 512}};
    Merge merge(dialect, {});
    const std::string bytes = SerializeFacts(scanner.Scan(0));
    const auto facts = ParseFacts(bytes);
    Require(facts.has_value() && SerializeFacts(*facts) == bytes,
            "facts survive writing and reading");
    merge.Add(*facts);
    const SourceFile& source = tree.files()[0];
    for (const AttributeSet& set : source.outline.attribute_sets) merge.Add(set);
    merge.Add(source.path, source.outline.kernel_functions);
    merge.Add(source.path, source.outline.definitions);
    const opledger::Manifest manifest = merge.Finish("union", {});
    opledger::Diagnostics diagnostics;
    const auto again =
        opledger::ParseManifest("operators.json", opledger::WriteManifest(manifest), diagnostics);
    Require(again && again->operators.size() == manifest.operators.size(),
            "a manifest survives writing and reading");
  }
}

}  // namespace

FUZZ_TARGET(scan) {
  using namespace opledger;
  static const ScratchFolder folder;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = text.find(kLine);
  const bool has_dialect = line != std::string::npos;
  folder.Write("dialect.json", has_dialect ? text.substr(0, line) : kDialect);
  const std::string source = has_dialect ? text.substr(line + kLine.size()) : text;
  folder.Write("a.cc", source);
  Diagnostics diagnostics;
  const auto dialect =
      ReadDialect(DiskSource(), folder.Path("dialect.json"), Reach::kAnywhere, diagnostics);
  Require(dialect.has_value() || diagnostics.has_errors(), "an error if a dialect is refused");
  RenderDiagnostics(diagnostics);
  if (!dialect) return 0;
  try {
    Scan(*dialect, folder.Path(), source);
  } catch (const GivenUp&) {  // a worker would end here
  }
  return 0;
}
