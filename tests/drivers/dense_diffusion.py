"""An independent opinion on `quadrille solve diffusion` with a field of coefficients: the small dense system, from the equations in
assembly/pde/diffusion.hpp and coefficient_field.hpp alone."""
import itertools

import numpy


def axes_of(a, spacing, ratio, sides):
    """For each axis of the array (the last one is x): ratio/h^2 and what lies beyond both faces."""
    for axis in range(a.ndim):
        from_x = a.ndim - 1 - axis
        yield axis, ratio[from_x] / spacing[from_x] ** 2, sides[2 * from_x:2 * from_x + 2]


def regions_of(a, neighbours):
    """-1 where nothing flows, else the number of the region, by flooding."""
    region, count = numpy.full(a.size, -1), 0
    for start in range(a.size):
        if a.flat[start] == 0 or region[start] >= 0:
            continue
        rest, region[start] = [start], count
        while rest:
            for to in neighbours[rest.pop()]:
                if a.flat[to] > 0 and region[to] < 0:
                    region[to] = count
                    rest.append(to)
        count += 1
    return region, count


def solution(a, spacing, ratio, sides, source=None):
    """u on the grid of a, [z][y][x] or [y][x]. `sides` along x, then y and z: clamp, periodic, or the value beyond the face."""
    matrix, right = numpy.zeros((a.size, a.size)), numpy.zeros(a.size)
    neighbours, touches = [[] for _ in range(a.size)], numpy.zeros(a.size, bool)
    for at in itertools.product(*map(range, a.shape)):
        i = numpy.ravel_multi_index(at, a.shape)
        for axis, scale, faces in axes_of(a, spacing, ratio, sides):
            for step, face in zip((-1, 1), faces):
                to = list(at)
                to[axis] += step
                if not 0 <= to[axis] < a.shape[axis]:
                    if face == "clamp":
                        continue
                    if face != "periodic":
                        matrix[i, i] += a[at] * scale
                        right[i] += a[at] * scale * face
                        touches[i] |= a[at] > 0
                        continue
                    to[axis] %= a.shape[axis]
                both = a[at], a[tuple(to)]
                if min(both) == 0:
                    continue
                j = numpy.ravel_multi_index(to, a.shape)
                mean = 2 / (1 / both[0] + 1 / both[1])
                matrix[i, i] += mean * scale
                matrix[i, j] -= mean * scale
                neighbours[i].append(j)
    region, count = regions_of(a, neighbours)
    is_open = [touches[region == r].any() for r in range(count)]
    if source is None:
        source = numpy.ones(a.shape)
        if not any(is_open):
            source[..., (a.shape[-1] + 1) // 2:] = -1
    u = numpy.zeros(a.size)
    for r in range(count):
        part = numpy.flatnonzero(region == r)
        f = right[part] + source.flat[part]
        block = matrix[numpy.ix_(part, part)]
        if is_open[r]:
            u[part] = numpy.linalg.solve(block, f)
        else:
            u[part] = numpy.linalg.lstsq(block, f - f.mean(), rcond=1e-12)[0]
            u[part] -= u[part].mean()
    return u.reshape(a.shape)
