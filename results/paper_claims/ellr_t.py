"""The figures of Vazquez, Fernandez and Garzon 2011, whose model chooses T and the block size of ELLR-T; ellr_t_claims.py has the
claims."""
from .records import geometric_mean, having, mean, ms, rank_correlation

PEERS = ("csr_scalar", "csr_vector", "ell", "hyb")  # the paper's CRS, CRS(vector), ELLPACK and HYB
MANY = 1_000_000  # entries


def lines(runs, precision, format_name):
    """matrix -> its record; `ellr_t` is our kernel, `ellr_t_paper` the paper's plain one."""
    found = runs.operators("ellr_t", precision)
    return {m: o[format_name] for m, o in found.items() if format_name in o}


def headline(runs, precision):
    """The plain kernel with what the paper's model chooses, beside the paper's peers."""
    found = having(runs.operators("ellr_t", precision), "ellr_t_paper", *PEERS)
    if not found:
        return None
    wins = [m for m, o in found.items() if o["ellr_t_paper"]["model"]["ms"] < min(ms(o[p]) for p in PEERS)]
    return {"n": len(found), "wins": len(wins)}


def ours_in_the_set(runs, precision):
    found = having(runs.operators("matrices", precision), "ellr_t", "ell", "hyb", "cusparse_csr", "csr")
    peers = [min(ms(o[p]) for p in ("ell", "hyb", "cusparse_csr")) for o in found.values()]
    own = [ms(o["ellr_t"]) for o in found.values()]
    return {"n": len(found), "wins": sum(a < b for a, b in zip(own, peers)),
            "with_csr": sum(a < min(b, ms(o["csr"])) for a, b, o in zip(own, peers, found.values())),
            "speed": geometric_mean([b / a for a, b in zip(own, peers)])}


def matching(format_name, field):
    def measure(runs, precision):
        found = {m: r[field] for m, r in lines(runs, precision, format_name).items()}
        if not found:
            return None
        worst = min(found, key=found.get)
        return {"n": len(found), "mean": 100 * mean(found.values()), "worst": 100 * found[worst], "operator": worst,
                "classes": classes_text(found.values())}

    return measure


def classes_text(values):
    """Table 2: how many reach 95 %, 85 %, 75 %, 65 % or less of the best."""
    classes = [0] * 5
    for value in values:
        classes[min(4, max(0, round(10 * (1 - value))))] += 1
    return ", ".join(f"{100 - 10 * i} % {c}" for i, c in enumerate(classes))


def spread(format_name, least, most=float("inf")):
    """The slowest variant's time over the fastest's."""
    def measure(runs, precision):
        every = lines(runs, precision, format_name).values()
        found = [r["worst"]["ms"] / r["best"]["ms"] for r in every if least <= r["nnz"] < most]
        return {"n": len(found), "least": min(found), "most": max(found), "mean": geometric_mean(found)} if found else None

    return measure


def texture(runs, precision):
    every = [r["x_cache"] or {} for r in lines(runs, precision, "ellr_t_paper").values()]
    found = [x for x in every if all(x.get(path) for path in ("read_only", "l1", "l2"))]
    if not found:
        return None
    return {"n": len(found), **{p: geometric_mean([x[p] / x["read_only"] for x in found]) for p in ("l1", "l2")}}


def bandwidth(runs, precision):
    found = {m: r for m, r in lines(runs, precision, "ellr_t").items() if not r["in_cache"] and r["nnz"] >= MANY}
    every = lines(runs, precision, "ellr_t")
    if not found:
        return None
    best, least = (chosen(every, key=lambda m: every[m]["gbps"]) for chosen in (max, min))
    return {"n": len(found), "low": min(r["fraction_of_floor"] for r in found.values()), "least": every[least]["gbps"],
            "high": max(r["fraction_of_floor"] for r in found.values()), "gbps": every[best]["gbps"], "operator": best,
            "smallest": least}


def with_size(runs, precision):
    found = [r for r in lines(runs, precision, "ellr_t").values()]
    return {"n": len(found), "correlation": rank_correlation([r["nnz"] for r in found], [r["gflops"] for r in found])}


def poorest(runs, precision):
    found = having(runs.operators("ellr_t", precision), "ellr_t_paper", *PEERS)
    if not found:
        return None
    others = [max([o["ellr_t_paper"]["model"]["ms"]] + [ms(o[p]) for p in PEERS[1:]]) for o in found.values()]
    return {"n": len(found), "slowest": sum(ms(o["csr_scalar"]) > other for o, other in zip(found.values(), others))}


def ell_over_csr(runs, precision):
    found = having(runs.operators("ellr_t", precision), *PEERS)
    if not found:
        return None
    return {"n": len(found), "wins": sum(ms(o["ell"]) < min(ms(o["csr_scalar"]), ms(o["csr_vector"])) for o in found.values())}


def over_cpu(runs, precision):
    """PETSc's AIJ on one thread of the CPU, in the same run."""
    found = having(runs.operators("matrices", precision), "ellr_t", "petsc_aij")
    speed = {m: ms(o["petsc_aij"]) / ms(o["ellr_t"]) for m, o in found.items() if o["petsc_aij"]["space"] == "cpu"}
    large = [s for m, s in speed.items() if found[m]["ellr_t"]["nnz"] >= MANY]
    if not large:
        return None
    return {"n": len(speed), "large": len(large), "low": min(large), "high": max(large), "all": geometric_mean(speed.values())}
