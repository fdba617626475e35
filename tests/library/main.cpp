// A program of the library's, of any number of ranks; its options are PETSc's.
#include <gtest/gtest.h>

#include <quadrille/quadrille.hpp>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const quadrille::Session session(argc, argv);
  return RUN_ALL_TESTS();
}
