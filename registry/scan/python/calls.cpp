// Resolves names of functions and objects; see calls.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/python/calls.h"

#include "registry/text/sort_unique.h"

namespace opledger::scan {

std::optional<PythonCall> FindPythonCall(const PythonDialect& python, std::string_view function) {
  PythonCall call;
  for (const PythonReceiver& receiver : python.receivers) {
    const std::size_t end = receiver.function.size();
    if (!function.starts_with(receiver.function)) continue;
    if (function.size() == end) call.receiver = &receiver;
    if (function.size() <= end || function[end] != '(') continue;
    const std::size_t close = function.rfind(").");
    if (close == std::string_view::npos) return std::nullopt;
    const std::string_view method = function.substr(close + 2);
    const std::string_view of = function.substr(end + 1, close - end - 1);
    const std::size_t colon = of.rfind('\x1f');
    call.receiver = &receiver;
    call.object = of.substr(0, colon);
    call.key = of.substr(colon + 1);
    for (const PythonSink& sink : receiver.methods) {
      if (sink.function == method) call.sink = &sink;
    }
    return call.sink == nullptr ? std::nullopt : std::optional(call);
  }
  for (const PythonSink& sink : python.sinks) {
    if (sink.function == function) call.sink = &sink;
  }
  return call.sink == nullptr && call.receiver == nullptr ? std::nullopt : std::optional(call);
}

const PythonValue* ArgumentOf(const PythonArgument& argument, const PythonArguments& arguments) {
  if (!argument.keyword.empty()) {
    if (const PythonValue* value = arguments.Keyword(argument.keyword)) return value;
  }
  const auto index = static_cast<std::size_t>(argument.index);
  const bool given = argument.index >= 0 && index < arguments.positional.size();
  return given ? &arguments.positional[index] : nullptr;
}

std::string ObjectName(const PythonReceiver& receiver, const std::string& name,
                       const std::string& key) {
  return receiver.function + "(" + name + '\x1f' + key + ")";
}

std::string WithObjects(const PythonDialect& python, const std::string& name) {
  for (const PythonReceiver& receiver : python.receivers) {
    for (const auto& [object, of] : receiver.objects) {
      const std::size_t end = object.size();
      if (!name.starts_with(object) || (name.size() > end && name[end] != '.')) continue;
      return ObjectName(receiver, of, "") + name.substr(end);
    }
  }
  return name;
}

std::vector<std::string> LeadingWords(const PythonDialect& python) {
  std::vector<std::string> words;
  const auto add = [&](const std::string& function) {
    words.push_back(function.substr(function.rfind('.') + 1));
  };
  for (const PythonSink& sink : python.sinks) add(sink.function);
  for (const PythonReceiver& receiver : python.receivers) add(receiver.function);
  SortUnique(words);
  return words;
}

}  // namespace opledger::scan
