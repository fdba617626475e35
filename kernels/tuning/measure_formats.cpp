#include "kernels/tuning/measure_formats.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <random>

#include "kernels/cuda/device.hpp"

namespace quadrille {
namespace {

constexpr std::int64_t together_bytes = std::int64_t{256} << 20;  // operators that are held at the same time
constexpr int least_rounds = 7, most_rounds = 31;
constexpr double enough_ms = 60;  // of each format
constexpr double batch_ms = 0.1;
constexpr int most_in_batch = 20;

// x, and a y for every format in turn, in the memory of one space.
template <class T>
class Vectors {
 public:
  Vectors(SpaceKind space, const std::vector<T>& x, std::int64_t size_y)
      : space_(space), host_x_(x), y_(size_y) {
    if (space == SpaceKind::cpu) return;
    device_x_ = Array<T, Device>(static_cast<std::int64_t>(x.size()));
    device_y_ = Array<T, Device>(size_y);
    memory::copy_to_device(device_x_.data(), x.data(), device_x_.bytes());
  }
  const T* x() const { return space_ == SpaceKind::cpu ? host_x_.data() : device_x_.data(); }
  T* y() { return space_ == SpaceKind::cpu ? y_.data() : device_y_.data(); }
  void spoil() {
    std::fill(y_.data(), y_.data() + y_.size(), std::numeric_limits<T>::quiet_NaN());
    if (space_ == SpaceKind::cuda) memory::copy_to_device(device_y_.data(), y_.data(), y_.bytes());
  }
  const T* on_host() {
    if (space_ == SpaceKind::cuda) memory::copy_to_host(y_.data(), device_y_.data(), y_.bytes());
    return y_.data();
  }

 private:
  SpaceKind space_;
  const std::vector<T>& host_x_;
  Array<T> y_;
  Array<T, Device> device_x_, device_y_;
};

double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// Of one among `count` products, queued one after the other.
template <class T>
double one_ms(const SpmvOperator<T>& op, const Product& product, int count, const T* x, T* y) {
  const auto all = [&] {
    for (int i = 0; i < count; ++i) apply(op, product, x, y);
  };
  if (op.space() == SpaceKind::cuda) return cuda::time_ms(all) / count;
  const auto start = std::chrono::steady_clock::now();
  all();
  return ms_since(start) / count;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

template <class T>
struct Candidate {
  std::unique_ptr<SpmvOperator<T>> op;
  MeasuredFormat* result;
  int count = 1;  // products timed together
  std::vector<double> ms;
  double spent_ms = 0;
};

// Makes and checks one; what it cannot do stands in `result`.
template <class T>
std::unique_ptr<SpmvOperator<T>> made_and_checked(const FormatEntry& entry, const FormatInput<T>& source,
                                                  const ChoiceWishes& wishes, Vectors<T>& vectors,
                                                  const ProductCheckFunction<T>& check,
                                                  MeasuredFormat& result) {
  try {
    const auto start = std::chrono::steady_clock::now();
    std::unique_ptr<SpmvOperator<T>> op = entry.make<T>()(source, wishes.format_options);
    result.set_up_ms = ms_since(start);
    vectors.spoil();
    apply(*op, wishes.product, vectors.x(), vectors.y());
    const double error = check(vectors.on_host());
    if (error <= 1) return op;
    result.refused = entry.name + " is wrong: its error is " + std::to_string(error) + " of the bound";
  } catch (const FormatError& error) {
    result.refused = error.what();
  } catch (const MemoryError& error) {
    result.refused = entry.name + ": " + error.what();
  } catch (const std::bad_alloc&) {
    result.refused = entry.name + ": not enough memory";
  }
  return nullptr;
}

// Turn by turn until each has its rounds. Short products are timed several at once: alone, a launch takes
// longer than they do and varies more than they differ.
template <class T>
void take_turns(std::vector<Candidate<T>>& candidates, const Product& product, Vectors<T>& vectors) {
  for (int round = -2; round < most_rounds; ++round)  // two warm up
    for (Candidate<T>& c : candidates) {
      if (static_cast<int>(c.ms.size()) >= least_rounds && c.spent_ms > enough_ms) continue;
      const double ms = one_ms(*c.op, product, c.count, vectors.x(), vectors.y());
      if (round < 0) {
        c.count = static_cast<int>(std::clamp(batch_ms / ms, 1.0, static_cast<double>(most_in_batch)));
        continue;
      }
      c.ms.push_back(ms);
      c.spent_ms += c.count * ms;
    }
  for (Candidate<T>& c : candidates) c.result->ms = median(c.ms);
  candidates.clear();
}

}  // namespace

template <class T>
std::vector<MeasuredFormat> measure_formats(const FormatInput<T>& source,
                                            const std::vector<const FormatEntry*>& entries,
                                            const ChoiceWishes& wishes, const std::vector<T>& x,
                                            const ProductCheckFunction<T>& check) {
  std::vector<MeasuredFormat> results(entries.size());
  std::vector<Candidate<T>> waiting;
  std::unique_ptr<Vectors<T>> vectors;
  std::int64_t held = 0, size_y = -1;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    results[i].format = entries[i]->name;
    if (size_y < 0) {
      const std::int64_t rows = source.csr ? source.csr->rows : source.hub ? source.hub->rows() : -1;
      const std::int64_t columns = source.csr ? source.csr->columns : rows;
      const std::int64_t of_one = rows < 0 ? static_cast<std::int64_t>(x.size()) / wishes.product.vectors
                                           : (wishes.product.transposed ? columns : rows);
      size_y = of_one * wishes.product.vectors;
      vectors = std::make_unique<Vectors<T>>(entries[i]->space, x, size_y);
    }
    Candidate<T> candidate{
        made_and_checked(*entries[i], source, wishes, *vectors, check, results[i]), &results[i], 1, {}, 0};
    if (!candidate.op) continue;
    const std::int64_t bytes = candidate.op->traffic().stored_bytes;
    waiting.push_back(std::move(candidate));
    held += bytes;
    if (held < together_bytes) continue;
    take_turns(waiting, wishes.product, *vectors);
    held = 0;
  }
  if (!waiting.empty()) take_turns(waiting, wishes.product, *vectors);
  if (const int products = wishes.format_options.products; products > 0)
    for (MeasuredFormat& result : results)
      if (result.refused.empty()) result.ms += result.set_up_ms / products;
  std::stable_sort(results.begin(), results.end(), [](const MeasuredFormat& a, const MeasuredFormat& b) {
    return a.refused.empty() != b.refused.empty() ? a.refused.empty() : a.ms < b.ms;
  });
  return results;
}

namespace {

struct ExpectedRow {
  std::int64_t row;
  double y, bound;
};

template <class T>
double bound_of(std::int64_t entries, double magnitude) {
  return 2.0 * static_cast<double>(entries + 2) * magnitude * std::numeric_limits<T>::epsilon() +
         static_cast<double>(entries) * static_cast<double>(std::numeric_limits<T>::denorm_min());
}

// All of y = A x or A^T x by CSR in double; `shift` is where the vector's part of y begins.
template <class T>
void expect_csr(const Csr<T>& csr, bool transposed, const T* x, std::int64_t shift,
                std::vector<ExpectedRow>& rows) {
  const std::int64_t size = transposed ? csr.columns : csr.rows;
  std::vector<double> y(static_cast<std::size_t>(size), 0), magnitude(static_cast<std::size_t>(size), 0);
  std::vector<std::int64_t> entries(static_cast<std::size_t>(size), 0);
  for (std::int64_t i = 0; i < csr.rows; ++i)
    for (std::int32_t k = csr.row_ptr[i]; k < csr.row_ptr[i + 1]; ++k) {
      const std::int64_t to = transposed ? csr.column[k] : i, from = transposed ? i : csr.column[k];
      const double product = static_cast<double>(csr.value[k]) * static_cast<double>(x[from]);
      y[to] += product;
      magnitude[to] += std::abs(product);
      ++entries[to];
    }
  for (std::int64_t i = 0; i < size; ++i)
    rows.push_back({shift + i, y[i], bound_of<T>(entries[i], magnitude[i])});
}

// 4096 rows, evenly spread, of the hub's product.
template <class T>
void expect_hub(const BlockDiagonals<T>& hub, const T* x, std::int64_t shift,
                std::vector<ExpectedRow>& rows) {
  const std::int64_t taken = std::min<std::int64_t>(4096, hub.rows());
  for (std::int64_t sample = 0; sample < taken; ++sample) {
    const std::int64_t row = sample * (hub.rows() / taken), node = row / hub.dof,
                       line = node / hub.extents[0];
    double y = 0, magnitude = 0;
    for (std::int64_t d = 0; d < hub.diagonals(); ++d) {
      const std::int64_t to =
          hub.neighbour(node % hub.extents[0], line % hub.extents[1], line / hub.extents[1], hub.offsets[d]);
      for (std::int64_t c = 0; to >= 0 && c < hub.dof; ++c) {
        const double product = static_cast<double>(hub.values[(d * hub.dof + c) * hub.rows() + row]) *
                               static_cast<double>(x[to * hub.dof + c]);
        y += product;
        magnitude += std::abs(product);
      }
    }
    rows.push_back({shift + row, y, bound_of<T>(hub.diagonals() * hub.dof, magnitude)});
  }
}

}  // namespace

template <class T>
ProductCheckFunction<T> own_check(const FormatInput<T>& source, const Product& product,
                                  const std::vector<T>& x) {
  auto expected = std::make_shared<std::vector<ExpectedRow>>();
  const std::int64_t size_x = static_cast<std::int64_t>(x.size()) / product.vectors;
  if (!source.csr && (!source.hub || product.transposed)) return {};
  for (int v = 0; v < product.vectors; ++v)
    if (source.csr)
      expect_csr(*source.csr, product.transposed, x.data() + v * size_x, v * source.csr->rows, *expected);
    else
      expect_hub(*source.hub, x.data() + v * size_x, v * source.hub->rows(), *expected);
  return [expected](const T* y) {
    double worst = 0;
    for (const ExpectedRow& row : *expected) {
      const double found = static_cast<double>(y[row.row]), error = std::abs(found - row.y);
      if (error == 0 || (!std::isfinite(row.y) && !std::isfinite(found))) continue;
      const double ratio = error / row.bound;
      worst = std::isnan(ratio) ? std::numeric_limits<double>::infinity() : std::max(worst, ratio);
    }
    return worst;
  };
}

template <class T>
std::vector<T> random_vectors(std::int64_t size, int count) {
  std::vector<T> x(static_cast<std::size_t>(size * count));
  std::mt19937 random(1);
  for (T& value : x) value = static_cast<T>(static_cast<double>(random()) / 2147483648.0 - 1);
  return x;
}

#define QUADRILLE_INSTANTIATE(T)                                                                            \
  template std::vector<MeasuredFormat> measure_formats(                                                     \
      const FormatInput<T>&, const std::vector<const FormatEntry*>&, const ChoiceWishes&,                   \
      const std::vector<T>&, const ProductCheckFunction<T>&);                                               \
  template ProductCheckFunction<T> own_check(const FormatInput<T>&, const Product&, const std::vector<T>&); \
  template std::vector<T> random_vectors(std::int64_t, int);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille
