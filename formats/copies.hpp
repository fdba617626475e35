// What goes over the bus between host and GPU memory, counted since the program started.
#pragma once

#include <cstdint>

namespace quadrille::memory {

// By copy_to_device() and copy_to_host(), and by what queues its own copies and counts them here; PETSc's are
// not among them.
struct Copies {
  std::int64_t count = 0, bytes = 0;
};
Copies copies_to_device();
Copies copies_to_host();
void count_to_device(std::int64_t bytes);
void count_to_host(std::int64_t bytes);

}  // namespace quadrille::memory
