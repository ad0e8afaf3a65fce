// @NAME@: writes the names of all operators, one per line.
// SPDX-License-Identifier: Apache-2.0
#include "checker/docs/docs.h"
#include "registry/text/diagnostics.h"

namespace opledger {
namespace {

std::vector<DocsFile> Render@PASCAL@(const Docs& docs) {
  std::string text;
  for (const OperatorDocs& each : docs.operators) text += Printable(each.op->name) + '\n';
  return {{"operators.@NAME@", text}};
}

}  // namespace

extern const DocsFormat k@PASCAL@Docs = {.name = "@NAME@",
                                         .extension = ".@NAME@",
                                         .summary = "the names of all operators",
                                         .render = Render@PASCAL@};

}  // namespace opledger
