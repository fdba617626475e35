// Suites with an entry of the registry, in one precision, as their parameter.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "kernels/cuda/device.hpp"
#include "kernels/registry.hpp"
#include "tests/products.hpp"

namespace quadrille {

// One parameter of the suites: an entry of the registry in one precision.
struct EntryParameter {
  std::size_t index = 0;
  bool fp64 = true;

  const FormatEntry& entry() const { return tested_products()[index]; }
};

inline void PrintTo(const EntryParameter& parameter, std::ostream* out) {
  *out << parameter.entry().name << " on " << to_string(parameter.entry().space);
}

inline std::vector<EntryParameter> all_entries() {
  std::vector<EntryParameter> all;
  for (std::size_t i = 0; i < tested_products().size(); ++i) {
    if (tested_products()[i].make_fp64) all.push_back({i, true});
    if (tested_products()[i].make_fp32) all.push_back({i, false});
  }
  return all;
}

inline std::string entry_name(const testing::TestParamInfo<EntryParameter>& info) {
  const FormatEntry& entry = info.param.entry();
  return entry.name + "_" + to_string(entry.space) + (info.param.fp64 ? "_fp64" : "_fp32");
}

// Skips, and says so, where the entry's space is not on this machine.
class RegistryTest : public testing::TestWithParam<EntryParameter> {
 protected:
  void SetUp() override {
    if (GetParam().entry().space == SpaceKind::cuda && cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  }
};

// Runs body.template operator()<T>() in the parameter's precision.
template <class Body>
void in_precision(const EntryParameter& parameter, const Body& body) {
  if (parameter.fp64)
    body.template operator()<double>();
  else
    body.template operator()<float>();
}

}  // namespace quadrille
