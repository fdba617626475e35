// The ranks that share a file, and how they fail together.
#pragma once

#include <mpi.h>

#include <exception>
#include <functional>
#include <string>

namespace quadrille {

struct Ranks {
  MPI_Comm comm = MPI_COMM_NULL;  // null: this process alone, and MPI need not be there

  bool alone() const { return comm == MPI_COMM_NULL; }
  bool is_first() const;
  int count() const;
};

// Everything below is collective.

// What the lowest rank with a failure has to say, on all of them; "" where there is none.
std::string first_failure(const Ranks& ranks, const std::exception_ptr& mine);
// The first rank's text.
std::string from_first(const Ranks& ranks, std::string text);

// body() on every rank. Where it throws on one, all throw: that one the same, the others an Error with its
// sentence.
template <class Error>
void on_each(const Ranks& ranks, const std::function<void()>& body) {
  std::exception_ptr mine;
  try {
    body();
  } catch (...) {
    mine = std::current_exception();
  }
  const std::string sentence = first_failure(ranks, mine);
  if (mine) std::rethrow_exception(mine);
  if (!sentence.empty()) throw Error(sentence);
}

// The same with body() on the first rank alone.
template <class Error>
void on_first(const Ranks& ranks, const std::function<void()>& body) {
  on_each<Error>(ranks, [&] {
    if (ranks.is_first()) body();
  });
}

}  // namespace quadrille
