// The names of list roles.
// SPDX-License-Identifier: Apache-2.0
#include "registry/precision_list/list_role.h"

#include <algorithm>

namespace opledger {
namespace {

using RoleKind = ListRole::Kind;

struct NamedRole {
  const char* name;
  ListRole role;
};

constexpr NamedRole kRoles[] = {
    {"target", {RoleKind::kPolicy, Policy::kTarget}},
    {"fp32", {RoleKind::kPolicy, Policy::kFp32}},
    {"widest", {RoleKind::kPolicy, Policy::kWidest}},
    {"either", {RoleKind::kPolicy, Policy::kEither}},
    {"conditional", {RoleKind::kConditional, Policy::kConditional}},
    {"banned", {RoleKind::kBanned, Policy::kFp32}},
    {"loss", {RoleKind::kLoss, Policy::kEither}},
    {"keep_fp32_inputs", {RoleKind::kKeepFp32Inputs, Policy::kEither}},
    {"ignore", {RoleKind::kIgnore, Policy::kEither}},
};

}  // namespace

std::optional<ListRole> ParseListRole(std::string_view text) {
  const auto* const role = std::find_if(std::begin(kRoles), std::end(kRoles),
                                        [&](const NamedRole& each) { return each.name == text; });
  if (role == std::end(kRoles)) return std::nullopt;
  return role->role;
}

std::vector<std::string> ListRoleNames() {
  std::vector<std::string> names;
  for (const NamedRole& role : kRoles) names.emplace_back(role.name);
  return names;
}

}  // namespace opledger
