#include "grid/suggestion.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <numeric>

namespace quadrille {
namespace {

// Insertions, deletions, replacements and swaps of neighbours.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(now);
  }
  return last[b.size()];
}

// Words that people use for ours, too far away for the edit distance.
std::string synonym(const std::string& word) {
  static const std::map<std::string, std::string> synonyms{
      {"gpu", "cuda"},          {"device", "cuda"},       {"host", "cpu"},          {"double", "fp64"},
      {"float", "fp32"},        {"single", "fp32"},       {"f64", "fp64"},          {"f32", "fp32"},
      {"poisson", "laplacian"}, {"laplace", "laplacian"}, {"dirichlet", "value:0"}, {"neumann", "flux:0"},
      {"noflux", "clamp"},      {"no-flux", "clamp"}};
  const auto at = synonyms.find(word);
  return at == synonyms.end() ? "" : at->second;
}

}  // namespace

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string nearest(const std::string& word, const std::vector<std::string>& known) {
  const std::string wanted = lower(word);
  if (const std::string other = synonym(wanted); std::find(known.begin(), known.end(), other) != known.end())
    return other;
  std::string best;
  std::size_t best_distance = std::numeric_limits<std::size_t>::max();
  for (const std::string& candidate : known) {
    const std::string text = lower(candidate);
    const bool begins = wanted.size() >= 3 && text.starts_with(wanted);
    const std::size_t distance =
        std::min(edit_distance(wanted, text), begins ? 1 : text.size() + wanted.size());
    const std::size_t limit = std::max<std::size_t>(1, std::max(wanted.size(), text.size()) / 3);
    if (distance <= limit && distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known,
                       const std::string& prefix) {
  // Numbers are never near: 3 is no slip for 1.
  if (std::none_of(word.begin(), word.end(), [](unsigned char c) { return std::isalpha(c); })) return "";
  const std::string near = nearest(word, known);
  return near.empty() ? "" : "; did you mean '" + prefix + near + "'?";
}

}  // namespace quadrille
