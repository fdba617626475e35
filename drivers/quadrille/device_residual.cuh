// A residual in GPU memory, for source files of nvcc: #include <quadrille/device_residual.cuh>.
#pragma once

#include "assembly/device_residual.cuh"
