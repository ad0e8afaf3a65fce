// checker: takes a manifest and lists, and gives findings and reports. project/ opens what a verb
// in commands/ works on, and index/ looks it up. rules/ finds, filter/ drops what does not count,
// candidates/ suggests policies, reports/ and docs/ print. edit/ and project/fixes.h change lists,
// git/ reads other revisions. lsp/, config/ and completion/ serve editors and shells; import/ reads
// other lists.
// May include: checker/commands, checker/terminal, registry/files, registry/platform,
// registry/precision_list, registry/project, registry/source, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once
