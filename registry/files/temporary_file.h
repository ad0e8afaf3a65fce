// Files that are there only while something is written: what will replace a file, and locks. They
// go when their object goes, and when SIGINT, SIGTERM or SIGHUP ends the process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace opledger {

// What a file of this name is written under, in its folder, until it is whole.
std::string TemporaryName(const std::string& name);
// What locks a file of this name where the file system has no locks of its own.
std::string LockName(const std::string& name);
// Whether one of the two gives this name.
bool IsTemporaryName(const std::string& name);
// The name of the lock that belongs to a temporary name of either kind.
std::string LockOfTemporary(const std::string& name);

// Whether the name in the folder, no link followed, means the open file. May be called in a handler
// of signals.
bool IsFileAt(int file, int folder, const char* name);

class TemporaryFile {
 public:
  TemporaryFile() = default;
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { Remove(); }

  // Creates the file, which must not be there yet. `folder` must stay open. False with errno set.
  bool Create(int folder, const std::string& name, mode_t mode);
  bool IsCreated() const { return file_ >= 0; }
  int file() const { return file_; }
  // Whether the name still means this file, which nobody has removed or replaced.
  bool IsInPlace() const;
  // Gives it another name in the same folder, in place of what has that. False with errno set.
  // Lasting: it is no temporary file any more, and `others` are none from the same moment on.
  enum class Lasting { kYes, kNo };
  bool RenameTo(const std::string& name, Lasting lasting,
                const std::vector<TemporaryFile*>& others = {});
  // The same where nothing has that name yet; else false with errno EEXIST.
  bool LinkTo(const std::string& name, Lasting lasting,
              const std::vector<TemporaryFile*>& others = {});
  // It lasts under the name that it has.
  void Keep();
  // Removes it, unless something else has its name by now, and closes it. Keeps errno.
  void Remove();

 private:
  template <typename Move>
  bool MoveTo(const std::string& name, Lasting lasting, const std::vector<TemporaryFile*>& others,
              Move move);
  void Register();  // what a signal removes
  void Forget();

  int folder_ = -1;
  int file_ = -1;
  std::string name_;
  int slot_ = -1;
};

// Removes the temporary files of this process, as a signal does. To be called from handlers of
// signals only: the objects do not learn of it.
void RemoveTemporaryFiles();

}  // namespace opledger
