// Processes files in rounds: the units, then the new files that these include, and so on. Looks up
// each file by its stamp (stamp -> content digest), then by its content digest (-> outline).
// Workers read the files that the cache does not have.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/tree/outline_all.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "registry/scan/cache/build_identity.h"
#include "registry/scan/outline/unreadable.h"
#include "registry/scan/tree/include_graph.h"
#include "registry/scan/tree/include_rounds.h"
#include "registry/scan/workers/worker_hook.h"
#include "registry/source/file_stamp.h"
#include "registry/text/packing.h"

namespace opledger::scan {
namespace {

class Outliner {
 public:
  Outliner(SourceTree& tree, const Dialect& dialect, Cache& cache, const PoolLimits& limits,
           std::vector<Incomplete>& incomplete)
      : tree_(tree),
        dialect_(dialect),
        cache_(cache),
        pool_(
            LimitsOf(tree, limits), [this](std::string_view path) { return Work(path); },
            [this] {
              cache_.Save();
              SaveStamps();
            }),
        rounds_(tree),
        incomplete_(incomplete),
        rules_(DigestBuilder().Add("outline").Add(BuildIdentity()).Add(dialect.text).Finish()),
        index_name_("stamps-" + DigestBuilder().Add(tree.root()).Finish().Hex()) {}

  OutlineCounts Run(const std::map<std::string, CommandLine>& units, bool follow);
  bool FromCacheByContent(int file);
  int Again(const std::vector<int>& files);

 private:
  struct Known {
    FileStamp stamp;
    Digest content;

    template <typename Pack>
    friend void PackFields(Pack& pack, Packed<Pack, Known>& known) {
      pack(known.stamp, known.content);
    }
  };

  static PoolLimits LimitsOf(const SourceTree& tree, PoolLimits limits) {
    limits.readable = tree.Readable();
    limits.prepare = [&tree] { tree.source().files()->AfterFork(); };
    return limits;
  }

  void LoadStamps();
  void SaveStamps();
  void SaveNowAndThen();
  // MakeOutline may read any field of the dialect, so all of them are in the key, as its text.
  Digest OutlineKey(const SourceFile& file) const {
    DigestBuilder key;
    key.Add(rules_).Add(IsOnlyData(dialect_, file.path) ? "data" : "code");
    return key.Add(file.content).Finish();
  }
  std::string Work(std::string_view path);
  bool FromCache(int file);
  void Outlines(const std::vector<int>& round);
  void Accept(int file, std::string_view answer, const std::string& failure);
  void Report(int file, Location location, std::string detail);

  SourceTree& tree_;
  const Dialect& dialect_;
  Cache& cache_;
  WorkerPool pool_;
  IncludeRounds rounds_;
  std::vector<Incomplete>& incomplete_;
  Digest rules_;  // the program and the dialect
  std::string index_name_;
  std::unordered_map<std::string, Known> stamps_;
  std::int64_t stamps_taken_ = 0;  // start of the run that stored them
  std::int64_t began_ = NowNanoseconds();
  std::chrono::steady_clock::time_point saved_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::duration save_again_ = std::chrono::seconds(2);
  bool stamps_changed_ = false;
  OutlineCounts counts_;
};

void Outliner::LoadStamps() {
  std::string bytes = cache_.ReadIndex(index_name_);
  ByteReader in(bytes);
  Unpacker unpack(in);
  unpack(stamps_taken_, stamps_);
  if (!in.ok()) stamps_.clear();
}

void Outliner::SaveStamps() {
  if (!stamps_changed_) return;
  ByteWriter out;
  for (const SourceFile& file : tree_.files()) {
    bool known = file.regular && file.outline.unreadable.empty() && file.content != Digest();
    if (known) stamps_[file.path] = {file.stamp, file.content};
  }
  Packer pack(out);
  pack(began_, std::map<std::string, Known>(stamps_.begin(), stamps_.end()));
  cache_.WriteIndex(index_name_, out.Take());
}

// Saves often enough that a killed run loses little, and rarely enough to cost nothing.
void Outliner::SaveNowAndThen() {
  auto start = std::chrono::steady_clock::now();
  if (start - saved_ < save_again_) return;
  cache_.Save();
  SaveStamps();
  saved_ = std::chrono::steady_clock::now();
  save_again_ = std::max(save_again_, 50 * (saved_ - start));
}

// Runs in a worker: returns the content digest and outline of a file.
std::string Outliner::Work(std::string_view path) {
  WorkerHook("outline", path);
  ByteWriter out;
  std::optional<std::string> text = ReadSource(tree_.source(), std::string(path));
  Outline outline;
  if (text && !IsOnlyData(dialect_, std::string(path))) {
    outline = MakeOutline(*text, dialect_);
  } else if (text) {  // data, not C++: only its bytes matter
  } else {
    outline.unreadable = WhyUnread(errno);
  }
  std::string bytes = SerializeOutline(outline);
  if (bytes.size() > kMaxSourceBytes)
    FailTask("the file contains more than 64 MB of macros and conditions");
  out.Text((text ? DigestOf(*text) : Digest()).View());
  out.Text(bytes);
  return out.Take();
}

bool Outliner::FromCache(int file) {
  SourceFile& source = tree_.files()[file];
  auto known = stamps_.find(source.path);
  if (known == stamps_.end() || known->second.stamp != source.stamp) return false;
  if (source.stamp.modified > stamps_taken_ - kRacyNanoseconds) return false;
  Digest before = std::exchange(source.content, known->second.content);
  if (FromCacheByContent(file)) return true;
  source.content = before;
  return false;
}

bool Outliner::FromCacheByContent(int file) {
  SourceFile& source = tree_.files()[file];
  std::optional<std::string_view> bytes = cache_.Get(OutlineKey(source));
  if (!bytes) return false;
  std::optional<Outline> outline = ParseOutline(*bytes);
  if (!outline) return false;
  source.outline = std::move(*outline);
  return true;
}

// Outlines files whose contents are known. Returns the number of files that were read.
int Outliner::Again(const std::vector<int>& files) {
  std::vector<int> pending;
  std::vector<std::string> requests;
  for (int file : files) {
    if (FromCacheByContent(file)) continue;
    pending.push_back(file);
    requests.push_back(tree_.files()[file].path);
  }
  pool_.Run(requests, [&](std::size_t task, std::string_view answer, const std::string& failure) {
    Accept(pending[task], answer, failure);
  });
  return static_cast<int>(pending.size());
}

void Outliner::Report(int file, Location location, std::string detail) {
  location.path = tree_.files()[file].path;
  incomplete_.push_back({location, "file", std::move(detail)});
}

void Outliner::Accept(int file, std::string_view answer, const std::string& failure) {
  SourceFile& source = tree_.files()[file];
  ByteReader in(answer);
  std::string_view content = in.Text();
  std::string_view bytes = in.Text();
  std::optional<Outline> outline;
  if (in.AtEnd() && content.size() == source.content.bytes.size()) outline = ParseOutline(bytes);
  if (!outline) {
    source.outline.unreadable = failure.empty() ? "cannot be read" : failure;
    return;
  }
  std::memcpy(source.content.bytes.data(), content.data(), content.size());
  source.outline = std::move(*outline);
  if (source.outline.unreadable.empty()) cache_.Put(OutlineKey(source), bytes);
}

void Outliner::Outlines(const std::vector<int>& round) {
  std::vector<int> pending;
  std::vector<std::string> requests;
  for (int file : round) {
    if (!tree_.files()[file].regular) {
      tree_.files()[file].outline.unreadable = "the path is not a regular file";
      if (int includer = rounds_.IncluderOf(file); includer >= 0) {
        tree_.files()[file].outline.unreadable +=
            ", but " + tree_.files()[includer].path + " includes it";
      }
    } else if (!FromCache(file)) {
      pending.push_back(file);
      requests.push_back(tree_.files()[file].path);
    }
  }
  counts_.outlined += static_cast<int>(pending.size());
  stamps_changed_ = stamps_changed_ || !pending.empty();
  pool_.Run(requests, [&](std::size_t task, std::string_view answer, const std::string& failure) {
    Accept(pending[task], answer, failure);
    SaveNowAndThen();
  });
  for (int file : round) {
    const std::string& why = tree_.files()[file].outline.unreadable;
    if (!why.empty()) Report(file, {}, why);
  }
}

OutlineCounts Outliner::Run(const std::map<std::string, CommandLine>& units, bool follow) {
  LoadStamps();
  std::vector<int> round = rounds_.First(units, incomplete_);
  while (!round.empty()) {
    Outlines(round);
    round = follow ? rounds_.Next(round) : std::vector<int>();
  }
  SaveStamps();
  for (const auto& [path, error] : tree_.unexamined()) {
    incomplete_.push_back(
        {{path}, "file", std::string("cannot be examined: ") + std::strerror(error)});
  }
  for (int file : EndlessIncludes(tree_)) {
    Report(file, {}, "includes itself endlessly, directly or through other files");
  }
  return counts_;
}

}  // namespace

OutlineCounts OutlineAll(SourceTree& tree, const std::map<std::string, CommandLine>& units,
                         const Dialect& dialect, Cache& cache, const PoolLimits& limits,
                         std::vector<Incomplete>& incomplete) {
  return Outliner(tree, dialect, cache, limits, incomplete).Run(units, true);
}

OutlineCounts OutlineThese(SourceTree& tree, const std::vector<std::string>& paths,
                           const Dialect& dialect, Cache& cache, const PoolLimits& limits,
                           std::vector<Incomplete>& incomplete) {
  std::map<std::string, CommandLine> files;
  for (const std::string& path : paths) files[path];
  return Outliner(tree, dialect, cache, limits, incomplete).Run(files, false);
}

bool OutlinesFromCache(SourceTree& tree, const std::vector<int>& files, const Dialect& dialect,
                       Cache& cache) {
  std::vector<Incomplete> none;
  Outliner outliner(tree, dialect, cache, {}, none);
  return std::all_of(files.begin(), files.end(),
                     [&](int file) { return outliner.FromCacheByContent(file); });
}

int OutlineAgain(SourceTree& tree, const std::vector<int>& files, const Dialect& dialect,
                 Cache& cache, const PoolLimits& limits) {
  std::vector<Incomplete> none;
  return Outliner(tree, dialect, cache, limits, none).Again(files);
}

}  // namespace opledger::scan
