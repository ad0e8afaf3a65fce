// Stub of the standard library. No system header is ever read, so results are the same on every
// machine and a file is parsed in milliseconds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace opledger::scan::ast {

// C++ text: declarations, some with bodies for the interpreter, macros of C, and the record
// function.
extern const char* const kStdlibStub;
// Continuation of the text.
extern const char* const kStdlibStubContainers;

}  // namespace opledger::scan::ast
