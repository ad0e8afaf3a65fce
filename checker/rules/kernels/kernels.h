// Rules that compare policies with the element types that the kernels and the registration of an
// operator take, and with the type in which kernels accumulate. In: manifest and lists. Out:
// findings. This header is empty: checker/rules/rules.cpp lists the rules.
// May include: checker/index, checker/rules.
// SPDX-License-Identifier: Apache-2.0
#pragma once
