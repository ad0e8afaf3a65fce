// Messages are read back as they were written, in pieces of any size; an invalid header is reported
// once.
// SPDX-License-Identifier: Apache-2.0
#include "checker/lsp/framing.h"

#include <gtest/gtest.h>

#include <vector>

namespace opledger {
namespace {

std::vector<std::string> ReadInPieces(const std::string& bytes, std::size_t piece) {
  MessageReader reader;
  std::vector<std::string> read;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    reader.Feed(std::string_view(bytes).substr(at, piece));
    while (const auto message = reader.Next()) {
      read.push_back(message->problem.empty() ? message->text : "problem");
    }
  }
  return read;
}

TEST(Framing, AnyPiecesGiveTheSame) {
  const std::string bytes = Frame("{}") + "content-length:3\r\nX-Other: \xC3\xA9\r\n\r\nabc" +
                            Frame("") + Frame("\r\n\r\nContent-Length: 1\r\n\r\n");
  for (const std::size_t piece : {1U, 2U, 3U, 7U, 1000U}) {
    EXPECT_EQ(ReadInPieces(bytes, piece),
              (std::vector<std::string>{"{}", "abc", "", "\r\n\r\nContent-Length: 1\r\n\r\n"}));
  }
}

TEST(Framing, ContinuesAfterInvalidHeaders) {
  const std::string largest = std::to_string(kLargestMessage + 1);
  for (const std::string& bad : {
           std::string("Content-Length: -1\r\n\r\nbody"),
           std::string("Content-Length: \r\n\r\n"),
           std::string("Content-Length: 1e3\r\n\r\n"),
           std::string("Content-Length: 1 2\r\n\r\n"),
           "Content-Length: " + largest + "\r\n\r\n",
           std::string("Content-Length: 18446744073709551618\r\n\r\n"),
           std::string("Content-Length: 1\r\nContent-Length: 2\r\n\r\n"),
           std::string("\r\n\r\n"),
           std::string("no colon\r\n\r\n"),
           std::string(10'000, '\0'),
           "Content-Length: 1\r\nX: " + std::string(10'000, 'x'),
       }) {
    for (const std::size_t piece : {1U, 5000U, 100'000U}) {
      EXPECT_EQ(ReadInPieces(bad + Frame("{}"), piece), (std::vector<std::string>{"problem", "{}"}))
          << bad.substr(0, 60) << " in pieces of " << piece;
    }
  }
}

}  // namespace
}  // namespace opledger
