// The operations that read and write single values, as PETSc calls them.
#include <algorithm>

#include "kernels/petsc/base/guarded.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/matrix/matrix.hpp"

namespace quadrille::petsc {
namespace {

PetscErrorCode set_values(Mat m, PetscInt rows, const PetscInt* row, PetscInt columns, const PetscInt* column,
                          const PetscScalar* values, InsertMode mode) {
  return guarded_serial("MatSetValues_Quadrille", [&] {
    typed(m).store().set_values({rows, row}, {columns, column}, values, mode);
  });
}

template <bool blocks, bool local>
PetscErrorCode set_named_values(Mat m, PetscInt rows, const PetscInt* row, PetscInt columns,
                                const PetscInt* column, const PetscScalar* values, InsertMode mode) {
  return guarded_serial(blocks ? "MatSetValuesBlocked_Quadrille" : "MatSetValuesLocal_Quadrille", [&] {
    TypedMatrix& t = typed(m);
    const PetscInt dof = t.store().dof();
    ISLocalToGlobalMapping row_map = nullptr, column_map = nullptr;
    PetscInt row_block = 1, column_block = 1;
    if constexpr (local) QUADRILLE_PETSC(MatGetLocalToGlobalMapping(m, &row_map, &column_map));
    if constexpr (blocks) QUADRILLE_PETSC(MatGetBlockSizes(m, &row_block, &column_block));
    t.store().set_values(t.named_rows.of(row_map, dof, row_block, rows, row),
                         t.named_columns.of(column_map, dof, column_block, columns, column), values, mode);
  });
}

PetscErrorCode get_values(Mat m, PetscInt rows, const PetscInt* row, PetscInt columns, const PetscInt* column,
                          PetscScalar* values) {
  return guarded("MatGetValues_Quadrille", [&] {
    std::vector<PetscInt> of_row;
    std::vector<double> value;
    require_inside(m, rows, row, columns, column);
    for (PetscInt i = 0; i < rows; ++i) {
      if (row[i] < 0) continue;
      typed(m).store().row(row[i], of_row, value);
      for (PetscInt j = 0; j < columns; ++j) {
        if (column[j] < 0) continue;
        const auto at = std::lower_bound(of_row.begin(), of_row.end(), column[j]);
        values[i * columns + j] =
            at != of_row.end() && *at == column[j] ? value[static_cast<std::size_t>(at - of_row.begin())] : 0;
      }
    }
  });
}

PetscErrorCode get_row(Mat m, PetscInt row, PetscInt* count, PetscInt** columns, PetscScalar** values) {
  return guarded("MatGetRow_Quadrille", [&] {
    TypedMatrix& t = typed(m);
    t.store().row(row, t.row_columns, t.row_values);
    if (count != nullptr) *count = static_cast<PetscInt>(t.row_columns.size());
    if (columns != nullptr) *columns = t.row_columns.data();
    if (values != nullptr) *values = t.row_values.data();
  });
}
PetscErrorCode restore_row(Mat, PetscInt, PetscInt* count, PetscInt** columns, PetscScalar** values) {
  if (count != nullptr) *count = 0;
  if (columns != nullptr) *columns = nullptr;
  if (values != nullptr) *values = nullptr;
  return static_cast<PetscErrorCode>(0);
}

PetscErrorCode assembly_begin(Mat m, MatAssemblyType type) {
  return guarded("MatAssemblyBegin_Quadrille", [&] {
    if (typed(m).assembles_values()) typed(m).store().assemble_begin(type);
  });
}
PetscErrorCode assembly_end(Mat m, MatAssemblyType type) {
  return guarded("MatAssemblyEnd_Quadrille", [&] {
    if (!typed(m).assembles_values()) return;
    typed(m).store().assemble_end(type);
    if (type == MAT_FLUSH_ASSEMBLY) return;
    typed(m).leave_grid_if_outgrown();
    typed(m).scaled();
    if (typed(m).options.verify) typed(m).verify();
  });
}

PetscErrorCode zero_entries(Mat m) {
  return guarded("MatZeroEntries_Quadrille", [&] { typed(m).store().zero(); });
}
PetscErrorCode scale(Mat m, PetscScalar factor) {
  return guarded("MatScale_Quadrille", [&] { typed(m).store().scale(factor); });
}
PetscErrorCode shift(Mat m, PetscScalar value) {
  return guarded("MatShift_Quadrille", [&] {
    typed(m).store().shift(value);
#if PETSC_VERSION_LT(3, 20, 0)  // as AIJ's, which ends with an assembly that -mat_view shows
    QUADRILLE_PETSC(MatAssemblyBegin(m, MAT_FINAL_ASSEMBLY));
    QUADRILLE_PETSC(MatAssemblyEnd(m, MAT_FINAL_ASSEMBLY));
#else
    mark_changed(m);
#endif
  });
}
PetscErrorCode set_option(Mat m, MatOption option, PetscBool value) {
  return guarded("MatSetOption_Quadrille", [&] { typed(m).set_option(option, value == PETSC_TRUE); });
}

PetscErrorCode get_diagonal(Mat m, Vec d) {
  return guarded("MatGetDiagonal_Quadrille", [&] { typed(m).store().diagonal(d); });
}
PetscErrorCode diagonal_set(Mat m, Vec d, InsertMode mode) {
  return guarded("MatDiagonalSet_Quadrille", [&] {
    PetscBool assembled = PETSC_FALSE;
    QUADRILLE_PETSC(MatAssembled(m, &assembled));
    typed(m).store().set_diagonal(d, mode);
    if (assembled) return;
    QUADRILLE_PETSC(MatAssemblyBegin(m, MAT_FINAL_ASSEMBLY));
    QUADRILLE_PETSC(MatAssemblyEnd(m, MAT_FINAL_ASSEMBLY));
  });
}
PetscErrorCode diagonal_scale(Mat m, Vec left, Vec right) {
  return guarded("MatDiagonalScale_Quadrille", [&] { typed(m).store().scale_rows_and_columns(left, right); });
}

PetscErrorCode axpy(Mat m, PetscScalar factor, Mat other, MatStructure structure) {
  return guarded("MatAXPY_Quadrille", [&] {
    if (!is_typed(other) || !typed(m).store().add(factor, typed(other).store(), structure))
      add_rows(typed(m), factor, other), typed(m).leave_grid_if_outgrown();
    mark_changed(m);
  });
}

PetscErrorCode copy(Mat m, Mat to, MatStructure structure) {
  return guarded("MatCopy_Quadrille", [&] {
    if (!is_typed(to)) {
      QUADRILLE_PETSC(MatCopy(typed(m).store().aij(), to, structure));
      return;
    }
    typed(to).set_up();
    if (typed(to).store().copy_from(typed(m).store(), structure)) return;
    typed(to).store().zero();
    add_rows(typed(to), 1, m);
    typed(to).leave_grid_if_outgrown();
  });
}

PetscErrorCode duplicate(Mat m, MatDuplicateOption option, Mat* result) {
  return guarded("MatDuplicate_Quadrille", [&] {
    MatType type = nullptr;
    QUADRILLE_PETSC(MatGetType(m, &type));
    Handle<Mat> made = empty_like(m, type);
    typed(made.get()).options = typed(m).options;
    typed(made.get()).set_up(typed(m).store().duplicate(made.get(), option == MAT_COPY_VALUES));
    QUADRILLE_PETSC(MatSetUp(made.get()));
    ISLocalToGlobalMapping row_map = nullptr, column_map = nullptr;
    QUADRILLE_PETSC(MatGetLocalToGlobalMapping(m, &row_map, &column_map));
    if (row_map != nullptr && column_map != nullptr)
      QUADRILLE_PETSC(MatSetLocalToGlobalMapping(made.get(), row_map, column_map));
    QUADRILLE_PETSC(MatAssemblyBegin(made.get(), MAT_FINAL_ASSEMBLY));
    QUADRILLE_PETSC(MatAssemblyEnd(made.get(), MAT_FINAL_ASSEMBLY));
    *result = made.release();
  });
}

// Values by coordinates: where they go is said once, and repeated places are summed.
PetscErrorCode set_preallocation_coo(Mat m, PetscCount count, PetscInt* rows, PetscInt* columns) {
  return guarded("MatSetPreallocationCOO_Quadrille", [&] {
    typed(m).set_up();
    typed(m).store().prepare_coordinates(count, rows, columns);
  });
}

PetscErrorCode set_values_coo(Mat m, const PetscScalar* values, InsertMode mode) {
  return guarded("MatSetValuesCOO_Quadrille",
                 [&] { typed(m).store().set_by_coordinates(values, mode, typed(m).applies_on_gpu()); });
}

}  // namespace

namespace {

void add_each_row(Store& to, PetscScalar factor, Mat from) {
  PetscInt first = 0, last = 0;
  QUADRILLE_PETSC(MatGetOwnershipRange(from, &first, &last));
  std::vector<PetscInt> columns;
  std::vector<PetscScalar> values;
  for (PetscInt i = first; i < last; ++i) {
    PetscInt count = 0;
    const PetscInt* column = nullptr;
    const PetscScalar* value = nullptr;
    QUADRILLE_PETSC(MatGetRow(from, i, &count, &column, &value));
    columns.assign(column, column + count);
    values.assign(value, value + count);
    QUADRILLE_PETSC(MatRestoreRow(from, i, &count, &column, &value));
    for (PetscScalar& v : values) v *= factor;
    to.set_values({1, &i}, {static_cast<PetscInt>(columns.size()), columns.data()}, values.data(),
                  ADD_VALUES);
  }
}

}  // namespace

void add_rows(TypedMatrix& to, PetscScalar factor, Mat from) {
  add_each_row(to.store(), factor, from);
  to.store().assemble_begin(MAT_FINAL_ASSEMBLY);
  to.store().assemble_end(MAT_FINAL_ASSEMBLY);
}

// Without a grid PETSc makes single numbers of all ranks of them.
void set_operations_on_nodes(Mat m, bool on_grid) {
  const auto set = [=](MatOperation operation, auto* callback) {
    set_operation(m, operation, on_grid ? callback : nullptr);
  };
  set(MATOP_SET_VALUES_LOCAL, set_named_values<false, true>);
  set(MATOP_SET_VALUES_BLOCKED, set_named_values<true, false>);
  set(MATOP_SET_VALUES_BLOCKEDLOCAL, set_named_values<true, true>);
}

void set_value_operations(Mat m) {
  set_operation(m, MATOP_SET_VALUES, set_values);
  set_operation(m, MATOP_GET_VALUES, get_values);
  set_operation(m, MATOP_GET_ROW, get_row);
  set_operation(m, MATOP_RESTORE_ROW, restore_row);
  set_operation(m, MATOP_ASSEMBLY_BEGIN, assembly_begin);
  set_operation(m, MATOP_ASSEMBLY_END, assembly_end);
  set_operation(m, MATOP_ZERO_ENTRIES, zero_entries);
  set_operation(m, MATOP_SCALE, scale);
  set_operation(m, MATOP_SHIFT, shift);
  set_operation(m, MATOP_GET_DIAGONAL, get_diagonal);
  set_operation(m, MATOP_DIAGONAL_SET, diagonal_set);
  set_operation(m, MATOP_DIAGONAL_SCALE, diagonal_scale);
  set_operation(m, MATOP_SET_OPTION, set_option);
  set_operation(m, MATOP_AXPY, axpy);
  set_operation(m, MATOP_COPY, copy);
  set_operation(m, MATOP_DUPLICATE, duplicate);
  const auto object = reinterpret_cast<PetscObject>(m);
  QUADRILLE_PETSC(PetscObjectComposeFunction(object, "MatSetPreallocationCOO_C", set_preallocation_coo));
  QUADRILLE_PETSC(PetscObjectComposeFunction(object, "MatSetValuesCOO_C", set_values_coo));
}

}  // namespace quadrille::petsc
