"""The figures of Vazquez, Fernandez and Garzon 2011, whose model chooses T and the block size of ELLR-T;
ellr_t_claims.py has the claims."""
from .own_matrices import VAZQUEZ, every, label
from .records import geometric_mean, having, mean, ms, rank_correlation

PEERS = ("csr_scalar", "csr_vector", "ell", "hyb")  # the paper's CRS, CRS(vector), ELLPACK and HYB
MANY = 1_000_000  # entries


# Of the measures `of` takes what is meant of all operators: every() or the paper's own.


def lines(runs, precision, format_name, of=every):
    """matrix -> its record; `ellr_t` is our kernel, `ellr_t_paper` the paper's plain one."""
    return {m: o[format_name] for m, o in of(runs.operators("ellr_t", precision)).items() if format_name in o}


def figure_5(runs, precision, of):
    return having(of(runs.operators("ellr_t", precision)), "ellr_t_paper", *PEERS)


def named(matrices):
    return ", ".join(VAZQUEZ.operators()[m] for m in matrices) or "none"


def headline(of=every):
    """The plain kernel with what the paper's model chooses, beside the paper's peers."""
    def measure(runs, precision):
        found = figure_5(runs, precision, of)
        if not found:
            return None
        over = {m: min(ms(o[p]) for p in PEERS) / o["ellr_t_paper"]["model"]["ms"] for m, o in found.items()}
        wins = [m for m, ratio in over.items() if ratio > 1]
        return {"n": len(found), "wins": len(wins), "speed": geometric_mean(over.values()),
                "which": "" if of is every else named(wins)}

    return measure


def ours_beside(family, of=every):
    """Our kernel and our model beside ELLPACK, HYB and cuSPARSE's CSR."""
    def measure(runs, precision):
        found = having(of(runs.operators(family, precision)), "ellr_t", "ell", "hyb", "cusparse_csr", "csr")
        peers = [min(ms(o[p]) for p in ("ell", "hyb", "cusparse_csr")) for o in found.values()]
        own = [ms(o["ellr_t"]) for o in found.values()]
        return {"n": len(found), "wins": sum(a < b for a, b in zip(own, peers)),
                "with_csr": sum(a < min(b, ms(o["csr"])) for a, b, o in zip(own, peers, found.values())),
                "speed": geometric_mean([b / a for a, b in zip(own, peers)])}

    return measure


def matching(format_name, field, of=every):
    def measure(runs, precision):
        found = {m: r[field] for m, r in lines(runs, precision, format_name, of).items()}
        if not found:
            return None
        worst = min(found, key=found.get)
        return {"n": len(found), "mean": 100 * mean(found.values()), "worst": 100 * found[worst], "operator": label(VAZQUEZ, worst),
                "classes": classes_text(found.values())}

    return measure


def classes_text(values):
    """Table 2: how many reach 95 %, 85 %, 75 %, 65 % or less of the best."""
    classes = [0] * 5
    for value in values:
        classes[min(4, max(0, round(10 * (1 - value))))] += 1
    return ", ".join(f"{100 - 10 * i} % {c}" for i, c in enumerate(classes))


def spread(format_name, least, most=float("inf"), of=every):
    """The slowest variant's time over the fastest's."""
    def measure(runs, precision):
        measured = lines(runs, precision, format_name, of).values()
        found = [r["worst"]["ms"] / r["best"]["ms"] for r in measured if least <= r["nnz"] < most]
        if not found:
            return None
        return {"n": len(found), "least": min(found), "most": max(found), "mean": geometric_mean(found)}

    return measure


def texture(of=every):
    def measure(runs, precision):
        paths = [r["x_cache"] or {} for r in lines(runs, precision, "ellr_t_paper", of).values()]
        found = [x for x in paths if all(x.get(path) for path in ("read_only", "l1", "l2"))]
        if not found:
            return None
        return {"n": len(found), **{p: geometric_mean([x[p] / x["read_only"] for x in found]) for p in ("l1", "l2")}}

    return measure


def bandwidth(of=every):
    """Parts of the stream for the large ones, and the least and the most GB/s of all."""
    def measure(runs, precision):
        all_of_them = lines(runs, precision, "ellr_t", of)
        found = {m: r["fraction_of_floor"] for m, r in all_of_them.items() if not r["in_cache"] and r["nnz"] >= MANY}
        if not found:
            return None
        best, least = (chosen(all_of_them, key=lambda m: all_of_them[m]["gbps"]) for chosen in (max, min))
        lowest = min(found, key=found.get)
        return {"n": len(found), "low": found[lowest], "lowest": label(VAZQUEZ, lowest), "high": max(found.values()),
                "least": all_of_them[least]["gbps"], "smallest": label(VAZQUEZ, least), "gbps": all_of_them[best]["gbps"],
                "operator": label(VAZQUEZ, best)}

    return measure


def with_size(of=every):
    def measure(runs, precision):
        found = lines(runs, precision, "ellr_t", of).values()
        return {"n": len(found), "correlation": rank_correlation([r["nnz"] for r in found], [r["gflops"] for r in found])}

    return measure


def poorest(of=every):
    def measure(runs, precision):
        found = figure_5(runs, precision, of).values()
        if not found:
            return None
        others = [max([o["ellr_t_paper"]["model"]["ms"]] + [ms(o[p]) for p in PEERS[1:]]) for o in found]
        return {"n": len(found), "slowest": sum(ms(o["csr_scalar"]) > other for o, other in zip(found, others))}

    return measure


def ell_over_csr(of=every):
    def measure(runs, precision):
        found = having(of(runs.operators("ellr_t", precision)), *PEERS).values()
        if not found:
            return None
        return {"n": len(found), "wins": sum(ms(o["ell"]) < min(ms(o["csr_scalar"]), ms(o["csr_vector"])) for o in found)}

    return measure


def over_cpu(family, of=every):
    """PETSc's AIJ on one thread of the CPU, in the same run."""
    def measure(runs, precision):
        found = having(of(runs.operators(family, precision)), "ellr_t", "petsc_aij")
        speed = {m: ms(o["petsc_aij"]) / ms(o["ellr_t"]) for m, o in found.items() if o["petsc_aij"]["space"] == "cpu"}
        large = [s for m, s in speed.items() if found[m]["ellr_t"]["nnz"] >= MANY]
        if not large:
            return None
        return {"n": len(speed), "large": len(large), "low": min(large), "high": max(large), "all": geometric_mean(speed.values())}

    return measure
