// Resolves the attributes that operators take from attribute sets declared elsewhere.
//   .add_arguments(ActivationParam::__FIELDS__())
//     -> act_type = relu, sigmoid {type int, default relu}
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/manifest/manifest.h"
#include "registry/scan/outline/outline.h"

namespace opledger::scan {

class SetFields {
 public:
  explicit SetFields(const AttributeSets& how) : how_(how) {}

  void Add(const AttributeSet& set) { sets_[set.name].push_back(set); }
  // Replaces each value that refers to a set by the set's attributes, sorted by name. Among several
  // sets of the same name, prefers those in the file of a site, then those in files that the sites
  // include, then all.
  void Resolve(const std::vector<Site>& sites, std::vector<FieldValue>& values) const;

 private:
  using Attribute = AttributeSet::Attribute;

  std::vector<const AttributeSet*> Of(const std::string& name,
                                      const std::vector<Site>& sites) const;
  FieldValue Field(const std::vector<const Attribute*>& declared, const std::vector<Site>& sites,
                   const Condition& condition) const;
  std::string Type(const std::string& written) const;
  std::string Default(const std::string& written) const;

  const AttributeSets& how_;
  std::map<std::string, std::vector<AttributeSet>> sets_;
};

}  // namespace opledger::scan
