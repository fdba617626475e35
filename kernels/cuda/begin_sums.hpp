// The beginning of a product whose sums are added up in y.
#pragma once

#include "kernels/output.hpp"
#include "kernels/queue.hpp"

namespace quadrille::cuda {

// to[i] = beta * from[i] of `size` elements; what follows adds alpha times its sums.
template <class T>
void begin_sums(Queue queue, const Output<T>& y, std::int64_t size);

}  // namespace quadrille::cuda
