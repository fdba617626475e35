// The ranks of a run: the processes that mpiexec started together, those of PETSC_COMM_WORLD. Without a
// Session there is one. Everything but the first three is collective: all ranks call it, in the same order.
// No PETSc header is needed to include this.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace quadrille::petsc {

int rank();   // of this process, from 0
int ranks();  // how many there are
// Which one this process is by what mpiexec left in its environment, before MPI is started; 0 without.
int rank_by_environment();

double sum_over_ranks(double mine);
std::int64_t sum_over_ranks(std::int64_t mine);
void sum_over_ranks(std::vector<double>& mine);  // number by number
double largest_over_ranks(double mine);
std::int64_t sum_on_host(std::int64_t mine);

// Which rank a step failed on, with the code that it gives.
struct Verdict {
  int rank = 0, code = 0;  // 0: it failed nowhere
};
// Every rank says how the step went for it, 0 for well; all of them get the verdict of the lowest one that
// failed. A rank that failed where the others wait for something else than this gets no verdict: after ten
// seconds it calls last_words() and ends all of them with its code.
Verdict verdict(int code, const std::function<void()>& last_words);

}  // namespace quadrille::petsc
