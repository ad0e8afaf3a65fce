// Defines kFormats, the table of formats.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/formats/formats.h"

#include <cstdlib>

#include "conversion/edit/mxnet_output.h"

namespace opledger {
namespace {

std::string AsGiven(const std::string& output) { return output; }
std::string NoParams(const std::string&, const std::string&) { return {}; }

const Format kFormats[] = {
    {kMxnetFormat, ConvertMxnet, UpcastMxnet, SummariseMxnet, true, MxnetSymbolPath,
     MxnetParamsPath},
    {kOnnxFormat, ConvertOnnx, UpcastOnnx, SummariseOnnx, false, AsGiven, NoParams},
};

}  // namespace

const Format& FindFormat(const SourceFile& file) {
  const ModelFormat& model = FormatOf(file.bytes());
  for (const Format& format : kFormats) {
    if (&format.model == &model) return format;
  }
  std::abort();  // kModelFormats has a format without a row here
}

std::vector<OutputFile> ModelFiles(const Format& format, const std::string& output,
                                   const std::string& params, bool in_place) {
  std::vector<OutputFile> files;
  if (output.empty()) return files;
  files.push_back({"-o", format.model_path(output), in_place});
  if (!params.empty()) files.push_back({"-o", format.params_path(output, params), in_place});
  return files;
}

}  // namespace opledger
