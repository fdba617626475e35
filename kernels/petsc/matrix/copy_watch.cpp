#include "kernels/petsc/matrix/copy_watch.hpp"

#include <algorithm>
#include <bit>

#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/matrix/matrix.hpp"

namespace quadrille::petsc {
namespace {

template <class Body>
void for_values_of_one(Mat seqaij, const Body& body) {
  MatInfo info;
  const PetscScalar* values = nullptr;
  QUADRILLE_PETSC(MatGetInfo(seqaij, MAT_LOCAL, &info));
  QUADRILLE_PETSC(MatSeqAIJGetArrayRead(seqaij, &values));
  std::for_each(values, values + static_cast<std::int64_t>(info.nz_used), body);
  QUADRILLE_PETSC(MatSeqAIJRestoreArrayRead(seqaij, &values));
}

// Every stored value of this rank.
template <class Body>
void for_values(Mat aij, const Body& body) {
  if (!distributed(aij)) return for_values_of_one(aij, body);
  Mat own = nullptr, ghost = nullptr;
  QUADRILLE_PETSC(MatMPIAIJGetSeqAIJ(aij, &own, &ghost, nullptr));
  for_values_of_one(own, body);
  for_values_of_one(ghost, body);
}

// FNV-1a, by words.
std::uint64_t fingerprint(Mat aij) {
  std::uint64_t hash = 14695981039346656037u;
  for_values(aij,
             [&](double value) { hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 1099511628211u; });
  return hash;
}

}  // namespace

void CopyWatch::remember(Mat aij) {
  if (watching_) remembered_ = fingerprint(aij);
}

void CopyWatch::require_remembered(Mat aij) const {
  if (!watching_ || !remembered_) return;
  if (all_ranks(aij, fingerprint(aij) == *remembered_)) return;
  throw PetscError(
      "-mat_quadrille_verify: something wrote into the copy in AIJ of this matrix, by arrays that it had "
      "kept; "
      "the matrix does not have these values");
}

bool only_zeros(Mat aij) {
  bool zero = true;
  for_values(aij, [&](double value) { zero = zero && value == 0; });
  return all_ranks(aij, zero);
}

}  // namespace quadrille::petsc
