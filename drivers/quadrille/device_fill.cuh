// Assembly in GPU memory, for source files of nvcc: #include <quadrille/device_fill.cuh>.
#pragma once

#include "assembly/device_fill.cuh"
