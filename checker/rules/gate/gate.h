// Rules for what a change must not do unnoticed: leave sources unread, let operators run in 16 bits
// without a reason, remove rows, or hide findings. In: manifest, lists and, for some, the revision
// compared with. Out: findings. This header is empty: checker/rules/rules.cpp lists the rules.
// May include: checker/findings, checker/rules.
// SPDX-License-Identifier: Apache-2.0
#pragma once
