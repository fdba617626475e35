"""The claims of five papers and what our records say of them: one module a paper; ../claims.py writes them all."""
