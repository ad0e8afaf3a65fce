// checker: manifest x lists -> findings -> reports. project/ opens what a verb of commands/ works
// on: manifest and lists, looked up in index/. rules/ find, filter/ keeps what counts, candidates/
// propose policies, reports/ and docs/ print. edit/ and project/fixes.h change lists, git/ gives
// other revisions; lsp/, config/ and completion/ serve editors and shells; import/ reads other
// lists.
// May include: checker/commands, checker/terminal, registry/files, registry/platform,
// registry/precision_list, registry/project, registry/source, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once
