// Reads one literal of a Python module; see python_list.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checker/import/python_cursor.h"
#include "checker/import/python_list.h"

namespace opledger {

class PythonValueReader {
 public:
  PythonValueReader(const SourceText& source, PythonCursor& cursor, Diagnostics& diagnostics)
      : source_(source), cursor_(cursor), diagnostics_(diagnostics) {}

  // The value at the cursor, up to one of `ends` (operators), a closing bracket or the end of the
  // statement. What is no literal is reported once and kUnreadable.
  LiteralValue Read(std::string_view ends = ",");

  // Whether nothing was unreadable since the last call.
  bool TakeComplete();

 private:
  LiteralValue Bare();
  LiteralValue Strings();
  LiteralValue Bracketed();
  void Items(LiteralValue& value, std::string_view close);
  bool AtEnd(std::string_view ends) const;
  LiteralValue Unreadable(const Location& begin, std::string_view ends, const std::string& what);
  std::string WhatFollows() const;

  const SourceText& source_;
  PythonCursor& cursor_;
  Diagnostics& diagnostics_;
  int depth_ = 0;
  bool complete_ = true;
};

}  // namespace opledger
