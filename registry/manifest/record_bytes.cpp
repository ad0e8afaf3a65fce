// One writer and one reader a record, in the same order of fields.
// SPDX-License-Identifier: Apache-2.0
#include "registry/manifest/record_bytes.h"

namespace opledger {

void Write(ByteWriter& out, const Location& location) {
  out.Text(location.path);
  out.Number(static_cast<std::uint64_t>(location.line));
  out.Number(static_cast<std::uint64_t>(location.column));
  out.Number(static_cast<std::uint64_t>(location.end_line));
  out.Number(static_cast<std::uint64_t>(location.end_column));
}

Location ReadLocation(ByteReader& in) {
  Location location;
  location.path = in.Text();
  location.line = static_cast<int>(in.Number());
  location.column = static_cast<int>(in.Number());
  location.end_line = static_cast<int>(in.Number());
  location.end_column = static_cast<int>(in.Number());
  return location;
}

void Write(ByteWriter& out, const Details& texts) {
  out.Number(texts.size());
  for (const auto& [name, text] : texts) {
    out.Text(name);
    out.Text(text);
  }
}

Details ReadDetails(ByteReader& in) {
  Details texts;
  for (std::uint64_t left = in.Count(); left > 0; --left) {
    std::string name(in.Text());
    texts[std::move(name)] = in.Text();
  }
  return texts;
}

void Write(ByteWriter& out, const Alias& alias) {
  out.Text(alias.name);
  Write(out, alias.location);
  out.Text(alias.condition.text());
}

Alias ConditionReader::ReadAlias(ByteReader& in) {
  Alias alias;
  alias.name = in.Text();
  alias.location = ReadLocation(in);
  alias.condition = Read(in);
  return alias;
}

void Write(ByteWriter& out, const Kernel& kernel) {
  out.Text(kernel.device);
  out.Text(kernel.label);
  out.Number(kernel.types.size());
  for (const auto& [variable, types] : kernel.types) {
    out.Text(variable);
    out.Text(types.unread);
    out.Number(types.dtypes.size());
    for (const std::string& dtype : types.dtypes) out.Text(dtype);
  }
  Write(out, kernel.details);
  Write(out, kernel.location);
  out.Text(kernel.condition.text());
}

Kernel ConditionReader::ReadKernel(ByteReader& in) {
  Kernel kernel;
  kernel.device = in.Text();
  kernel.label = in.Text();
  for (std::uint64_t left = in.Count(); left > 0; --left) {
    KernelTypes& types = kernel.types[std::string(in.Text())];
    types.unread = in.Text();
    types.dtypes.resize(in.Count());
    for (std::string& dtype : types.dtypes) dtype = in.Text();
  }
  kernel.details = ReadDetails(in);
  kernel.location = ReadLocation(in);
  kernel.condition = Read(in);
  return kernel;
}

void Write(ByteWriter& out, const Incomplete& record) {
  Write(out, record.location);
  out.Text(record.stage);
  out.Text(record.detail);
}

Incomplete ReadIncomplete(ByteReader& in) {
  Incomplete record;
  record.location = ReadLocation(in);
  record.stage = in.Text();
  record.detail = in.Text();
  return record;
}

Condition ConditionReader::Read(ByteReader& in) {
  const std::string_view text = in.Text();
  if (text.empty()) return {};
  auto known = parsed_.find(text);
  if (known == parsed_.end()) {
    known = parsed_.emplace(text, Condition::FromExpression(text)).first;
  }
  return known->second;
}

}  // namespace opledger
