// Names every preconditioner and Krylov method that this PETSc has, a line each: `-pc_type jacobi`.
#include <petscksp.h>

#include <cstdio>

namespace {

void print(const char* option, PetscFunctionList list) {
  const char** names = nullptr;
  int count = 0;
  if (PetscFunctionListGet(list, &names, &count) != 0) return;
  for (int i = 0; i < count; ++i)
    if (names[i] != nullptr) std::printf("%s %s\n", option, names[i]);
  (void)PetscFree(names);
}

}  // namespace

int main(int argc, char** argv) {
  if (PetscInitialize(&argc, &argv, nullptr, nullptr) != 0) return 3;
  if (KSPInitializePackage() != 0 || PCInitializePackage() != 0) return 3;
  print("-pc_type", PCList);
  print("-ksp_type", KSPList);
  return PetscFinalize() == 0 ? 0 : 3;
}
