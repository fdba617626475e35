#include "kernels/petsc/coarse_products.hpp"

#include <petscmat.h>

#include <algorithm>

#include "kernels/petsc/check.hpp"
#include "kernels/petsc/gathering.hpp"
#include "kernels/petsc/indices.hpp"
#include "kernels/petsc/ranks.hpp"
#include "kernels/petsc/vector_arrays.hpp"

namespace quadrille::petsc {

CoarseProduct triple_product(SharedMat a, SharedMat p) {
  struct Parts {
    SharedMat a, p;
    Handle<Vec> coarse, result, fine, product;
  };
  const auto parts = std::make_shared<Parts>();
  const auto right = [](const SharedMat& m) {
    return make<Vec>("MatCreateVecs", [&](Vec* v) { return MatCreateVecs(m.get(), v, nullptr); });
  };
  parts->coarse = right(p);
  parts->result = right(p);
  parts->fine = right(a);
  parts->product = right(a);
  parts->a = std::move(a);
  parts->p = std::move(p);
  PetscInt rows = 0;
  QUADRILLE_PETSC(VecGetLocalSize(parts->coarse.get(), &rows));
  return [parts, rows](const Array<double>& x, Array<double>& y) {
    std::copy_n(x.data(), rows, WriteArray(parts->coarse.get()).data());
    QUADRILLE_PETSC(MatMult(parts->p.get(), parts->coarse.get(), parts->fine.get()));
    QUADRILLE_PETSC(MatMult(parts->a.get(), parts->fine.get(), parts->product.get()));
    QUADRILLE_PETSC(MatMultTranspose(parts->p.get(), parts->product.get(), parts->result.get()));
    std::copy_n(ReadArray(parts->result.get()).data(), rows, y.data());
  };
}

Array<double> rows_of_nodes(const Array<double>& columns, std::int64_t rows,
                            const std::vector<std::int64_t>& nodes, int dof) {
  const PetscInt own = to_index32(rows, "rows");
  const Handle<Vec> mine = make<Vec>(
      "VecCreateMPI", [=](Vec* v) { return VecCreateMPI(PETSC_COMM_WORLD, own, PETSC_DETERMINE, v); });
  Gathering gathering(mine.get(), to_petsc_ints(nodes, "nodes"), dof);
  // A rank without rows has no columns either, but takes part.
  const auto count = static_cast<std::int64_t>(
      largest_over_ranks(rows > 0 ? static_cast<double>(columns.size() / rows) : 0));
  const std::int64_t wanted = static_cast<std::int64_t>(nodes.size()) * dof;
  Array<double> result(count * wanted);
  for (std::int64_t column = 0; column < count; ++column) {
    std::copy_n(columns.data() + column * rows, rows, WriteArray(mine.get()).data());
    gathering.begin(mine.get());
    gathering.end(mine.get());
    std::copy_n(ReadArray(gathering.local()).data(), wanted, result.data() + column * wanted);
  }
  return result;
}

}  // namespace quadrille::petsc
