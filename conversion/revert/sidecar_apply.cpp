// A sidecar is checked before anything is written: its model by size and digest, its pieces against
// the files they speak of. What comes out is checked by its digest before it takes its place.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <list>
#include <optional>

#include "conversion/revert/sidecar.h"
#include "conversion/revert/sidecar_reader.h"
#include "registry/platform/files.h"
#include "registry/platform/sha256.h"
#include "registry/project/contained_path.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

std::string FolderOf(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

class Applier {
 public:
  Applier(SourceFile sidecar, const SidecarPlaces& places, Diagnostics& diagnostics)
      : sidecar_(std::move(sidecar)), places_(places), diagnostics_(diagnostics) {}

  bool Run() {
    const FindSource find = [&](const SidecarClaim& claim) { return Open(claim); };
    const auto restored = ReadSidecar(sidecar_, find, diagnostics_);
    if (!restored) return false;
    for (const RestoredFile& file : restored->files) {
      const bool leads = !places_.prefix.empty() && file.name.find('/') != std::string::npos;
      if (leads) return LeadsOut(file);
    }
    return std::all_of(restored->files.begin(), restored->files.end(),
                       [&](const RestoredFile& file) { return Write(file, restored->from); });
  }

 private:
  const SourceFile* Open(const SidecarClaim& claim) {
    const std::string& known = claim.name.empty() ? places_.model : places_.params;
    auto file = !known.empty() ? SourceFile::Open(known, diagnostics_)
                               : SourceFile::OpenBelow(FolderOf(places_.model), claim.name,
                                                       "the sidecar", diagnostics_);
    if (!file) return nullptr;
    if (file->bytes().size() != claim.size || Sha256Hex(file->bytes()) != claim.digest) {
      diagnostics_.Error({.path = file->path()},
                         "this is not the file that " + sidecar_.path() + " was written with",
                         "revert the model as it was converted, or without --sidecar: then its "
                         "weights stay rounded");
      return nullptr;
    }
    return &sources_.emplace_back(std::move(*file));
  }

  bool LeadsOut(const RestoredFile& file) {
    return ReportDamagedSidecar(
        sidecar_, "'" + Printable(file.name) + "' leads out of the model's folder", diagnostics_);
  }

  bool HasDigest(const std::string& path, const std::string& digest) {
    Diagnostics quiet;
    const auto file = SourceFile::Open(path, quiet);
    return file && Sha256Hex(file->bytes()) == digest;
  }

  bool Write(const RestoredFile& file, Dtype from) {
    const bool named = !file.name.empty() && !places_.prefix.empty();  // by the user
    const std::string path = file.name.empty() ? places_.output
                             : named           ? places_.prefix + file.name
                                     : (fs::path(FolderOf(places_.output)) / file.name).string();
    std::error_code error;
    if (!file.name.empty() && !named && fs::exists(path, error)) {
      if (HasDigest(path, file.digest)) return true;
      diagnostics_.Error({.path = path},
                         "the model's data would stand here, and this is another file",
                         "revert into a folder without it");
      return false;
    }
    if (!file.name.empty() && !IsInside(path, FolderOf(places_.output))) return LeadsOut(file);
    fs::create_directories(FolderOf(path), error);
    const auto accept = [&](const std::string& written) {
      return HasDigest(written, file.digest) ||
             ReportDamagedSidecar(sidecar_, "what it gives is not the original: it is damaged",
                                  diagnostics_);
    };
    return WriteFile(
        path, [&](OutputSink& sink) { return file.Write(from, sink); }, diagnostics_, accept);
  }

  SourceFile sidecar_;
  const SidecarPlaces& places_;
  Diagnostics& diagnostics_;
  std::list<SourceFile> sources_;
};

}  // namespace

bool ApplySidecar(const std::string& sidecar, const SidecarPlaces& places,
                  Diagnostics& diagnostics) {
  auto file = SourceFile::Open(sidecar, diagnostics);
  return file && Applier(std::move(*file), places, diagnostics).Run();
}

}  // namespace opledger
