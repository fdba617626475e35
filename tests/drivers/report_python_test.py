"""Reads write_fields' report with Python's json and csv. Usage: report_python_test.py WRITE_FIELDS"""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

NAMES = """bench space device format precision operator matrix grid dof stencil boundary product rows nnz stored_bytes compulsory_bytes
ms_median ms_min ms_max repetitions gflops gbps ceiling_gbps fraction_of_floor in_cache convert_ms upload_ms checked
rows_checked error_over_bound skipped""".split()


def check_json(report):
    assert list(report) == ["machine", "command", "version", "date", "ceilings", "records"]
    assert report["machine"] == {"cpu": 'a "quoted" \\ name', "threads": "2"}
    assert report["command"] == "quadrille spmv\n\t\x01\x7f caf\u00e9 \ufffd\ufffd"
    assert report["ceilings"] == {"copy": 1 / 3, "read": "inf"}
    measured, refused, wrong = report["records"]
    assert all(list(record) == NAMES for record in report["records"])
    assert measured["operator"] == "random" and measured["device"] == 'core, "two"' and measured["dof"] == 4
    assert measured["nnz"] == 9007199254740993 and measured["gflops"] == 2 / 3 and measured["ms_max"] == 1e300
    assert measured["ceiling_gbps"] == 5e-324 and measured["error_over_bound"] == 0.25
    assert math.copysign(1, measured["gbps"]) == -1 and type(measured["ms_min"]) is float
    assert measured["in_cache"] is True and measured["skipped"] is None
    assert refused["skipped"] == 'too many diagonals,\nthe "limit" is 10' and refused["error_over_bound"] is None
    assert refused["checked"] is False
    assert (wrong["error_over_bound"], wrong["ms_max"], wrong["ms_min"]) == ("nan", "inf", "-inf")


def check_csv(rows):
    assert list(rows[0]) == NAMES and len(rows) == 3
    measured, refused, wrong = rows
    assert measured["device"] == 'core, "two"' and measured["nnz"] == "9007199254740993"
    assert float(measured["gflops"]) == 2 / 3 and measured["in_cache"] == "true" and measured["skipped"] == ""
    assert refused["skipped"] == 'too many diagonals,\nthe "limit" is 10' and refused["error_over_bound"] == ""
    assert math.isnan(float(wrong["error_over_bound"])) and float(wrong["ms_min"]) == -math.inf


def main():
    with tempfile.TemporaryDirectory() as folder:
        names = [os.path.join(folder, name) for name in ("a.json", "a.csv")]
        subprocess.run([sys.argv[1], "report", *names], check=True)
        assert sorted(os.listdir(folder)) == ["a.csv", "a.json"]
        with open(names[0], encoding="utf-8", errors="strict") as file:
            check_json(json.load(file))
        with open(names[1], encoding="utf-8", newline="") as file:
            check_csv(list(csv.DictReader(file)))
    print("JSON and CSV read back")


main()
