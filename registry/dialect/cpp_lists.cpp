// Packs lists field by field, in declaration order.
// SPDX-License-Identifier: Apache-2.0
#include "registry/dialect/cpp_lists.h"

#include "registry/text/bytes.h"

namespace opledger {

std::string PackCppLists(const std::vector<CppList>& lists) {
  ByteWriter out;
  out.Number(lists.size());
  for (const CppList& list : lists) {
    out.Text(list.name);
    out.Number(list.begin);
    out.Number(list.end);
    out.Number(list.strings.size());
    for (const CppString& string : list.strings) {
      out.Text(string.text);
      out.Number(string.joined ? 1 : 0);
      out.Number(string.begin);
      out.Number(string.end);
      out.Text(string.condition);
    }
    out.Number(list.called ? 1 : 0);
    out.Number(list.removed.size());
    for (std::size_t place : list.removed) out.Number(place);
  }
  return out.Take();
}

std::optional<std::vector<CppList>> UnpackCppLists(std::string_view bytes) {
  ByteReader in(bytes);
  std::vector<CppList> lists(in.Count());
  for (CppList& list : lists) {
    list.name = in.Text();
    list.begin = in.Number();
    list.end = in.Number();
    list.strings.resize(in.Count());
    for (CppString& string : list.strings) {
      string.text = in.Text();
      string.joined = in.Number() != 0;
      string.begin = in.Number();
      string.end = in.Number();
      string.condition = in.Text();
    }
    list.called = in.Number() != 0;
    list.removed.resize(in.Count());
    for (std::size_t& place : list.removed) place = in.Number();
  }
  if (!in.AtEnd()) return std::nullopt;
  return lists;
}

}  // namespace opledger
