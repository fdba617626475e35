/* Loaded before BLAS (LD_PRELOAD): its results with errors of up to two units of rounding, the same ones every time for the same number
   in ROUNDING. What that changes in a program's output is rounding, amplified by the program itself. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

static unsigned which(void) {
  static unsigned number, known;
  if (!known) {
    const char* const given = getenv("ROUNDING");
    number = given ? (unsigned)atoi(given) : 0;
    known = 1;
  }
  return number;
}

static double rounded(double value, int i) { return value * (1 + (((unsigned)i + which()) * 2654435761u >> 16) % 5 * DBL_EPSILON - 2 * DBL_EPSILON); }

static long place(int i, int n, int increment) { return (increment < 0 ? i + 1 - n : i) * (long)increment; }

double ddot_(const int* n, const double* x, const int* incx, const double* y, const int* incy) {
  long double sum = 0;
  for (int i = 0; i < *n; ++i) sum += (long double)x[place(i, *n, *incx)] * y[place(i, *n, *incy)];
  return rounded((double)sum, *n);
}

double dnrm2_(const int* n, const double* x, const int* incx) {
  long double sum = 0;
  for (int i = 0; i < *n; ++i) sum += (long double)x[place(i, *n, *incx)] * x[place(i, *n, *incx)];
  return rounded((double)sqrtl(sum), *n);
}

void daxpy_(const int* n, const double* a, const double* x, const int* incx, double* y, const int* incy) {
  for (int i = 0; i < *n; ++i) y[place(i, *n, *incy)] = rounded(y[place(i, *n, *incy)] + *a * x[place(i, *n, *incx)], i);
}

void dscal_(const int* n, const double* a, double* x, const int* incx) {
  for (int i = 0; i < *n; ++i) x[place(i, *n, *incx)] = rounded(*a * x[place(i, *n, *incx)], i);
}
