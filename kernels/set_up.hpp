// What some operators do before their first product, to be timed by itself.
#pragma once

namespace quadrille {

// A conversion in the memory of the operator, or the analysis of a library. Memory is taken the first time
// and kept, so that a second call is the work alone.
class SetUp {
 public:
  virtual ~SetUp() = default;

  // For y = A x, or for y = A^T x. Queued on the default stream as far as the library does so.
  virtual void set_up(bool transposed) = 0;
  // What follows where many products are to come, and makes them faster than the ones after set_up(). A new
  // operator has it.
  virtual void plan() {}
};

}  // namespace quadrille
