// What one set-up makes that the next one needs again where it makes the same choices. Internal to
// kernels/multigrid.
#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace quadrille::multigrid {

template <class Key, class Value>
class Kept {
 public:
  // Of another set-up: what that does not ask for is given up by the next one.
  void begin() { before_ = std::exchange(now_, {}); }
  // What make() made of this key, in this set-up or the one before, or makes now.
  template <class Make>
  std::shared_ptr<const Value> get(const Key& key, const Make& make) {
    for (auto* const made : {&now_, &before_})
      for (const auto& [of, value] : *made)
        if (of == key) return made == &now_ ? value : now_.emplace_back(of, value).second;
    return now_.emplace_back(key, std::make_shared<const Value>(make())).second;
  }

 private:
  std::vector<std::pair<Key, std::shared_ptr<const Value>>> now_, before_;
};

}  // namespace quadrille::multigrid
