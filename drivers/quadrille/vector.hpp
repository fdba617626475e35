// The unknowns of a grid, shared by its ranks: a PETSc Vec, in the memory where its operator multiplies.
#pragma once

#include <petscvec.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "grid/boundary.hpp"
#include "grid/grid.hpp"
#include "grid/partition.hpp"

namespace quadrille {

// A grid and how the ranks of a communicator share it.
struct GridLayout {
  MPI_Comm comm;
  Grid grid;
  Partition partition;

  NodeBox box() const { return own_box(partition); }  // of this rank
  std::int64_t rows() const { return box().nodes() * grid.dof; }
};

// By make_partition(). Collective. Throws InputError where grid and boundary do not fit.
std::shared_ptr<const GridLayout> share_grid(MPI_Comm comm, const Grid& grid, const Boundary& boundary);

// Numbers of this rank in host memory, as rows of its box: x fastest, unknowns innermost. While one of these
// lives, the vector that it came from is not to be used otherwise.
template <class T>  // double, or const double
class HostValues {
 public:
  explicit HostValues(Vec vector);
  ~HostValues();
  HostValues(const HostValues&) = delete;
  HostValues& operator=(const HostValues&) = delete;

  T& operator[](std::int64_t row) const { return data_[row]; }
  std::int64_t size() const { return size_; }
  T* begin() const { return data_; }
  T* end() const { return data_ + size_; }

 private:
  Vec vector_;
  T* data_ = nullptr;
  std::int64_t size_ = 0;
};

// A copy is one of the numbers. What takes another vector takes one of the same layout. All but the values of
// this rank is collective. Throws PetscError where PETSc fails.
class Vector {
 public:
  // Takes the caller's reference to `made`, which has this layout.
  Vector(Vec made, std::shared_ptr<const GridLayout> layout) : vec_(made), layout_(std::move(layout)) {}
  Vector(const Vector& other);
  Vector(Vector&& other) noexcept : vec_(std::exchange(other.vec_, nullptr)), layout_(other.layout_) {}
  Vector& operator=(Vector other) noexcept {
    std::swap(vec_, other.vec_);
    std::swap(layout_, other.layout_);
    return *this;
  }
  ~Vector();

  Vec vec() const { return vec_; }  // for PETSc's functions; stays this one's
  const GridLayout& layout() const { return *layout_; }

  Vector& set(double value);
  Vector& set(std::span<const double> of_unknowns);  // at all nodes
  Vector& scale(double factor);
  Vector& axpy(double factor, const Vector& x);  // this += factor x
  Vector& remove_means();  // takes off the mean of each unknown over all nodes; zero where nothing is left
  double dot(const Vector& x) const;
  double norm() const;     // the 2-norm
  double largest() const;  // of the absolute values

  // This rank's numbers, [row], from and to host memory: straight to where the vector is.
  Vector& assign(std::span<const double> numbers);
  std::vector<double> numbers() const;

  // value(position of the node, unknown) for every row.
  template <class Value>
  Vector& fill(const Value& value) {
    const NodeBox box = layout_->box();
    const HostValues<double> to = values();
    std::int64_t row = 0;
    for (std::int64_t line = 0; line < box.lines(); ++line)
      for (std::int64_t x = 0; x < box.size[0]; ++x) {
        const NodePosition first = box.first_of_line(line);
        for (int unknown = 0; unknown < layout_->grid.dof; ++unknown)
          to[row++] = value(Position{first[0] + x, first[1], first[2]}, unknown);
      }
    return *this;
  }
  HostValues<double> values() { return HostValues<double>(vec_); }
  HostValues<const double> values() const { return HostValues<const double>(vec_); }

 private:
  Vec vec_;
  std::shared_ptr<const GridLayout> layout_;
};

}  // namespace quadrille
