// Checks the edited symbol in memory, and the parameters as written.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/edit/mxnet_output.h"

#include <algorithm>
#include <filesystem>

#include "registry/files/file_attributes.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

bool CheckSymbol(const MxnetOutput& output, const MxnetParams* params, const MxnetVerify& verify,
                 Diagnostics& diagnostics) {
  auto symbol =
      ReadMxnetSymbol(SourceFile::FromText(MxnetSymbolPath(output.prefix),
                                           EditedText(output.symbol.file, output.symbol_edits)),
                      diagnostics);
  return symbol && verify(*symbol, params);
}

}  // namespace

std::string MxnetSymbolPath(const std::string& prefix) { return prefix + "-symbol.json"; }

std::string MxnetParamsPath(const std::string& prefix, const std::string& params) {
  const fs::path path = params;
  const std::string extension = path.extension().string();
  const bool known = extension == ".params" || extension == ".npz";
  const std::string stem = path.stem().string();
  constexpr std::size_t kEpoch = 5;  // "-0012"
  const bool epoch =
      known && stem.size() > kEpoch && stem[stem.size() - kEpoch] == '-' &&
      std::all_of(stem.end() - kEpoch + 1, stem.end(), [](char c) { return c >= '0' && c <= '9'; });
  return prefix + (epoch ? stem.substr(stem.size() - kEpoch) : "-0000") +
         (known ? extension : ".params");
}

bool WriteMxnet(const MxnetOutput& output, const MxnetVerify& verify, WrittenWithMxnet& with,
                Diagnostics& diagnostics) {
  const std::string symbol_path = MxnetSymbolPath(output.prefix);
  const SourceFile& symbol = output.symbol.file;
  if (output.params == nullptr) {
    return CheckSymbol(output, nullptr, verify, diagnostics) &&
           WriteEdited(symbol, output.symbol_edits, symbol_path, diagnostics,
                       {.write_others = with.write,
                        .completes = {&with.file},
                        .most_permissions = PermissionsOf(symbol.path())});
  }
  const SourceFile& params = output.params->file;
  const std::string params_path = MxnetParamsPath(output.prefix, params.path());
  std::error_code error;
  for (const auto& [from, to] :
       {std::pair(params.path(), params_path), std::pair(symbol.path(), symbol_path)}) {
    if (!fs::equivalent(from, to, error)) continue;
    return diagnostics.Error({.path = to}, "a model of two files cannot be converted in place",
                             "give -o another prefix");
  }
  const auto accept = [&](const std::string& path) {
    auto file = SourceFile::Open(path, diagnostics);
    if (!file) return false;
    const auto written = ReadMxnetParams(std::move(*file), diagnostics);
    return written && CheckSymbol(output, &*written, verify, diagnostics);
  };
  // Rename the symbol last. If that fails, new parameters are removed too.
  UnfinishedFile written;
  const auto write_params = [&](const std::string& written_symbol) {
    return WriteEdited(params, output.params_edits, params_path, diagnostics,
                       {.accept = accept,
                        .unfinished = &written,
                        .most_permissions = PermissionsOf(params.path())}) &&
           (!with.write || with.write(written_symbol));
  };
  return WriteEdited(symbol, output.symbol_edits, symbol_path, diagnostics,
                     {.write_others = write_params,
                      .completes = {&written, &with.file},
                      .most_permissions = PermissionsOf(symbol.path())});
}

}  // namespace opledger
