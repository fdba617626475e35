#include "drivers/fields/ranks.hpp"

namespace quadrille {
namespace {

std::string sentence_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    if (*error.what() != '\0') return error.what();
  } catch (...) {
  }
  return "another rank failed";
}

std::string from(const Ranks& ranks, int root, std::string text) {
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, root, ranks.comm);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, root, ranks.comm);
  return text;
}

}  // namespace

bool Ranks::is_first() const {
  int rank = 0;
  if (!alone()) MPI_Comm_rank(comm, &rank);
  return rank == 0;
}

int Ranks::count() const {
  int count = 1;
  if (!alone()) MPI_Comm_size(comm, &count);
  return count;
}

std::string first_failure(const Ranks& ranks, const std::exception_ptr& mine) {
  if (ranks.alone()) return mine ? sentence_of(mine) : "";
  int rank = 0, count = 1, lowest = 0;
  MPI_Comm_rank(ranks.comm, &rank);
  MPI_Comm_size(ranks.comm, &count);
  const int failed = mine ? rank : count;
  MPI_Allreduce(&failed, &lowest, 1, MPI_INT, MPI_MIN, ranks.comm);
  if (lowest == count) return "";
  return from(ranks, lowest, rank == lowest ? sentence_of(mine) : "");
}

std::string from_first(const Ranks& ranks, std::string text) {
  return ranks.alone() ? text : from(ranks, 0, std::move(text));
}

}  // namespace quadrille
