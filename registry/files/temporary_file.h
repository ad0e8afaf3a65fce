// Files that exist only during a write: replacements of files, and locks. They are removed with
// their object, and when SIGINT, SIGTERM or SIGHUP ends the process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace opledger {

// Returns the name under which a file is written, in its folder, until it is complete.
std::string TemporaryName(const std::string& name);
// Returns the name of the lock file of a file, for file systems without locks.
std::string LockName(const std::string& name);
// Returns whether `name` is a temporary name or a lock name.
bool IsTemporaryName(const std::string& name);
// Returns the name of the lock file that belongs to a temporary name or lock name.
std::string LockOfTemporary(const std::string& name);

// Returns whether the name in the folder, without following links, refers to the open file. Safe to
// call in signal handlers.
bool IsFileAt(int file, int folder, const char* name);

class TemporaryFile {
 public:
  TemporaryFile() = default;
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { Remove(); }

  // Creates the file, which must not exist. `folder` must stay open. Returns false and sets errno
  // on failure.
  bool Create(int folder, const std::string& name, mode_t mode);
  bool IsCreated() const { return file_ >= 0; }
  int file() const { return file_; }
  // Returns whether the name still refers to this file, that is, it was not removed or replaced.
  bool IsInPlace() const;
  // Renames the file in its folder and replaces any file of that name. Returns false and sets errno
  // on failure. With kYes, this file and `others` atomically stop being temporary files.
  enum class Lasting { kYes, kNo };
  bool RenameTo(const std::string& name, Lasting lasting,
                const std::vector<TemporaryFile*>& others = {});
  // Like RenameTo(), but fails with EEXIST if the name is taken.
  bool LinkTo(const std::string& name, Lasting lasting,
              const std::vector<TemporaryFile*>& others = {});
  // Keeps the file under its current name.
  void Keep();
  // Removes the file, unless its name refers to another file, and closes it. Preserves errno.
  void Remove();

 private:
  template <typename Move>
  bool MoveTo(const std::string& name, Lasting lasting, const std::vector<TemporaryFile*>& others,
              Move move);
  void Register();  // registers the file for removal by signals
  void Forget();

  int folder_ = -1;
  int file_ = -1;
  std::string name_;
  int slot_ = -1;
};

// Removes the temporary files of this process. Only for signal handlers: the objects are not
// updated.
void RemoveTemporaryFiles();

}  // namespace opledger
