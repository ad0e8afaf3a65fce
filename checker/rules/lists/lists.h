// Rules about a list by itself: which operators it has, under which names, and whether its entries
// are consistent. Rules that compare it with something else are in checker/rules/evidence. In:
// manifest and lists. Out: findings. This header is empty: checker/rules/rules.cpp lists the rules.
// May include: checker/edit, checker/index, checker/rules, registry/condition,
// registry/precision_list, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once
