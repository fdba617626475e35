#include "kernels/petsc/rank_products.hpp"

#include <petscmat.h>

#include <algorithm>

#include "kernels/petsc/check.hpp"
#include "kernels/petsc/gathering.hpp"
#include "kernels/petsc/indices.hpp"
#include "kernels/petsc/rank_matrix.hpp"
#include "kernels/petsc/ranks.hpp"
#include "kernels/petsc/vector_arrays.hpp"

namespace quadrille::petsc {

CoarseProduct rank_triple_product(std::shared_ptr<const SpmvOperator<double>> own,
                                  std::shared_ptr<const GhostPart> ghosts, const RankTransfer& interpolation,
                                  std::int64_t coarse_rows) {
  struct Parts {
    Handle<Mat> a, p;
    Handle<Vec> coarse, result, fine, product;
  };
  const auto parts = std::make_shared<Parts>();
  parts->coarse = rank_vector(coarse_rows, own->space());
  parts->result = rank_vector(coarse_rows, own->space());
  parts->fine = rank_vector(own->rows(), own->space());
  parts->product = rank_vector(own->rows(), own->space());
  parts->a = make_rank_matrix(std::move(own), std::move(ghosts), "of a triple product", 1);
  parts->p = Handle<Mat>(make_transfer_matrix(interpolation, parts->coarse.get()));
  return [parts, coarse_rows](const Array<double>& x, Array<double>& y) {
    std::copy_n(x.data(), coarse_rows, WriteArray(parts->coarse.get()).data());
    QUADRILLE_PETSC(MatMult(parts->p.get(), parts->coarse.get(), parts->fine.get()));
    QUADRILLE_PETSC(MatMult(parts->a.get(), parts->fine.get(), parts->product.get()));
    QUADRILLE_PETSC(MatMultTranspose(parts->p.get(), parts->product.get(), parts->result.get()));
    std::copy_n(ReadArray(parts->result.get()).data(), coarse_rows, y.data());
  };
}

Array<double> rows_of_nodes(const Array<double>& columns, std::int64_t rows,
                            const std::vector<std::int64_t>& nodes, int dof) {
  const Handle<Vec> mine = rank_vector(rows, SpaceKind::cpu);
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
