// checker: checks a manifest against lists and reports findings. project/ opens what a verb of
// commands/ works on, and index/ indexes it. rules/ finds, filter/ drops what does not count,
// candidates/ suggests policies, reports/ and docs/ print. edit/ and project/fixes.h change lists,
// git/ reads other revisions. lsp/, config/ and completion/ serve editors and shells; import/ reads
// other lists.
// May include: checker/commands, checker/config, checker/terminal, registry/files,
// registry/platform, registry/precision_list, registry/project, registry/source, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once
