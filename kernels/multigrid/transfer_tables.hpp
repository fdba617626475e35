// The tables of an interpolation to a level from the next coarser one, and back, by its axes. Internal to
// kernels/multigrid.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "formats/array.hpp"
#include "kernels/multigrid/grid_choice.hpp"
#include "kernels/multigrid/kept.hpp"
#include "kernels/multigrid/packed_tables.hpp"
#include "kernels/multigrid/transfer_steps.hpp"

namespace quadrille::multigrid {

// What Transfer reads (transfer_steps.hpp), from the tables of the axes.
template <class T, class Space>
class TransferTables {
 public:
  // Between vectors whose lines have so many nodes.
  TransferTables(std::array<AxisInterpolation, 3> axes, int dof, int fine_line, int coarse_line) {
    tables_.fine_rows = tables_.dof = dof;
    tables_.by_dof = divisor(dof);
    lengthen(axes[0], fine_line, coarse_line);
    std::array<int, 3> like{};
    for (int axis = 0; axis < 3; ++axis) {
      like[axis] = first_like(axis, [&](int a, int b) { return axes[a] == axes[b]; });
      if (like[axis] == axis) add_axis(axes[axis], places_[axis]);
      tables_.fine_n[axis] = static_cast<int>(axes[axis].fine);
      tables_.coarse_n[axis] = static_cast<int>(axes[axis].coarse);
      tables_.fine_rows *= axes[axis].fine;
    }
    for (const int axis : {0, 1}) {
      tables_.by_fine_n[axis] = divisor(axes[axis].fine);
      tables_.by_coarse_n[axis] = divisor(axes[axis].coarse);
    }
    for (int axis = 0; axis < 3; ++axis) {
      tables_.first[axis] = -1;
      if (like[axis] < axis) {
        tables_.first[axis] = tables_.first[like[axis]];
        places_[axis] = places_[like[axis]];
        continue;
      }
      for (int first = 0; first < 2 && tables_.first[axis] < 0; ++first)
        if (add_halved(axes[axis], first, places_[axis])) tables_.first[axis] = first;
    }
    tables_.in_words = dof == 1 && tables_.first[0] >= 0 && axes[0].fine % 4 == 0 && axes[0].coarse % 2 == 0;
    packed_.put_in_place();
  }
  int coarse_line() const { return tables_.coarse_n[0]; }
  // With these weights, [corner][fine row], or null.
  Transfer<T> with(const T* weights) const {
    Transfer<T> t = tables_;
    for (int axis = 0; axis < 3; ++axis) {
      t.node[axis] = packed_.template at<std::int32_t>(places_[axis].node);
      t.weight[axis] = packed_.template at<T>(places_[axis].weight);
      t.fine[axis] = packed_.template at<std::int32_t>(places_[axis].fine);
      t.fine_weight[axis] = packed_.template at<T>(places_[axis].fine_weight);
      t.second[axis] = packed_.template at<std::int8_t>(places_[axis].second);
      t.beside[axis] = packed_.template at<T>(places_[axis].beside);
      t.around[axis] = packed_.template at<T>(places_[axis].around);
    }
    t.weights = weights;
    t.in_words = t.in_words && t.weights == nullptr;
    return t;
  }

 private:
  struct Places {
    std::int64_t node = 0, weight = 0, fine = 0, fine_weight = 0, second = 0, beside = 0, around = 0;
  };
  // Nodes behind lines read nothing, and nothing reads them.
  static void lengthen(AxisInterpolation& axis, std::int64_t fine, std::int64_t coarse) {
    axis.node.resize(2 * fine, 0);
    axis.weight.resize(2 * fine, 0.0);
    axis.first.resize(coarse + 1, axis.first.back());
    axis.fine = fine;
    axis.coarse = coarse;
  }
  void add_axis(const AxisInterpolation& axis, Places& places) {
    std::vector<std::int32_t> fine(3 * axis.coarse);
    std::vector<T> weight(axis.weight.begin(), axis.weight.end()), fine_weight(3 * axis.coarse);
    std::vector<std::int8_t> second(3 * axis.coarse);
    for (std::int64_t c = 0; c < axis.coarse; ++c) {
      const std::int32_t first = axis.first[c], readers = axis.first[c + 1] - first;
      for (std::int32_t k = 0; k < 3; ++k) {
        const bool there = k < readers;
        const std::int32_t reader = there ? axis.reader[first + k] : readers > 0 ? axis.reader[first] : 0;
        fine[3 * c + k] = reader;
        fine_weight[3 * c + k] = there ? static_cast<T>(axis.reader_weight[first + k]) : T(0);
        second[3 * c + k] = there && axis.node[2 * reader] != c;
      }
    }
    places = {packed_.add(axis.node), packed_.add(weight), packed_.add(fine), packed_.add(fine_weight),
              packed_.add(second)};
  }

  // The tables of an axis where coarse node j is fine node 2j + first; else false.
  bool add_halved(const AxisInterpolation& axis, int first, Places& places) {
    std::vector<T> beside(2 * axis.fine), around(3 * axis.coarse);
    for (std::int64_t i = 0; i < 2 * axis.fine; ++i) {
      if (axis.weight[i] == 0) continue;
      const std::int64_t fine = i / 2, coarse = axis.node[i], side = coarse - (fine / 2 - first),
                         place = fine - (2 * coarse + first - 1);
      if (side < 0 || side > 1 || place < 0 || place > 2) return false;
      beside[2 * fine + side] += static_cast<T>(axis.weight[i]);
      around[3 * coarse + place] += static_cast<T>(axis.weight[i]);
    }
    places.beside = packed_.add(beside);
    places.around = packed_.add(around);
    return true;
  }

  PackedTables<Space> packed_;
  std::array<Places, 3> places_;
  Transfer<T> tables_{};  // but for the pointers
};

// From a level to the next coarser one, and back.
template <class T, class Space>
struct LevelTransfer {
  std::shared_ptr<const TransferTables<T, Space>> of_axes;
  Array<T, Space> weights;  // [corner][fine row], or empty
  int coarse_line() const { return of_axes->coarse_line(); }
  Transfer<T> tables() const { return of_axes->with(weights.data()); }
};
// What its tables follow from, where no ranks share the level.
struct TransferChoice {
  GridChoice grid;
  int dof, fine_line, coarse_line;
  bool operator==(const TransferChoice&) const = default;
};
template <class T, class Space>
using KeptTransfers = Kept<TransferChoice, TransferTables<T, Space>>;

}  // namespace quadrille::multigrid
