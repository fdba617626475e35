// A stencil: the offsets of the nodes that one row of the operator couples to, the centre among them or not.
#pragma once

#include <string>
#include <vector>

namespace quadrille {

struct Offset {
  int x = 0, y = 0, z = 0;
  auto operator<=>(const Offset&) const = default;
};

inline constexpr int max_stencil_radius = 4;

struct Stencil {
  std::string name;             // "star", "box", or the file it came from
  int radius = 1;               // the largest |component| of an offset
  std::vector<Offset> offsets;  // ascending by (z, y, x), so that linear node offsets ascend on a large grid
};

// 2*dimension*radius + 1 points along the axes. Throws InputError unless dimension is 2..3 and radius 1..4.
Stencil star_stencil(int dimension, int radius);

// (2*radius + 1)^dimension points. Throws InputError unless dimension is 2..3 and radius 1..4.
Stencil box_stencil(int dimension, int radius);

// A text file with one offset a line, "dx dy" or "dx dy dz"; '#' starts a comment. Throws InputError with
// file and line for anything else, for repeated offsets, for components beyond the largest radius and for a
// file without offsets.
Stencil read_stencil(const std::string& path, int dimension);

// "star", "box", or the path of a file.
Stencil make_stencil(const std::string& name_or_path, int dimension, int radius);

}  // namespace quadrille
