// Rules that compare a list with what else says something about its policies: measurements, the
// source, pages and tests of the framework, and its lists for other devices and types. In:
// manifest, lists and evidence. Out: findings. This header is empty: checker/rules/rules.cpp lists
// the rules.
// May include: checker/findings, checker/index, checker/rules, checker/terminal, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once
