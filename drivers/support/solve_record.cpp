#include "drivers/support/solve_record.hpp"

#include "drivers/support/json.hpp"

namespace quadrille {

std::string to_json(const SolveRecord& r) {
  const auto error = [](const std::optional<double>& e) { return e ? json_number(*e) : "null"; };
  std::string out = "{\"pde\": " + json_string(r.pde) + ", \"space\": " + json_string(r.space);
  out += ", \"format\": " + json_string(r.format) + ", \"precision\": " + json_string(r.precision);
  out += ", \"grid\": " + json_string(r.grid) + ", \"dof\": " + std::to_string(r.dof);
  out += ", \"ranks\": " + std::to_string(r.ranks) + ", \"unknowns\": " + std::to_string(r.unknowns);
  out += ", \"h\": " + json_number(r.h) + ", \"iterations\": " + std::to_string(r.iterations);
  out += std::string(", \"converged\": ") + (r.converged ? "true" : "false");
  out += ", \"reason\": " + json_string(r.reason) + ", \"residual\": " + json_number(r.residual);
  out += ", \"error_l2\": " + error(r.error_l2) + ", \"error_max\": " + error(r.error_max);
  out += ", \"matmult_ms\": " + json_number(r.matmult_ms);
  out += ", \"seconds\": {\"assembly\": " + json_number(r.seconds.assembly);
  out += ", \"setup\": " + json_number(r.seconds.setup) + ", \"solve\": " + json_number(r.seconds.solve);
  out += ", \"output\": " + json_number(r.seconds.output) + ", \"total\": " + json_number(r.seconds.total);
  out += "}";
  out += ", \"method\": " + json_string(r.method) + ", \"preconditioner\": " + json_string(r.preconditioner);
  return out + "}";
}

}  // namespace quadrille
