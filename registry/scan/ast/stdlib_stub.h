// A stub of the standard library, in place of its headers: no system header is ever read, so
// results are the same on every machine, and a file is parsed in milliseconds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace opledger::scan::ast {

// C++ text: declarations, some with bodies for the interpreter; macros of C; the record function.
extern const char* const kStdlibStub;
// What belongs behind it.
extern const char* const kStdlibStubContainers;

}  // namespace opledger::scan::ast
