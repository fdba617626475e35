// What the program's tests from outside iterate over: every PDE with its cases, as arguments of
// `quadrille solve`, as JSON.
#include <iostream>
#include <nlohmann/json.hpp>

#include "tests/pde_cases.hpp"

// Of one kind all round.
nlohmann::json sides(const quadrille::Pde& pde) {
  nlohmann::json all = nlohmann::json::array();
  for (const quadrille::PdeCase& c : quadrille::cases_with_sides({"", &pde, "", 2}))
    if (c.sides.find_first_of("/") == std::string::npos && !c.name.ends_with("_beside_periodic"))
      all.push_back(c.sides);
  return all;
}

int main() {
  using quadrille::PdeCase;
  nlohmann::json list = nlohmann::json::array();
  for (const quadrille::Pde& pde : quadrille::linear_pdes())
    list.push_back({{"name", pde.name},
                    {"order", pde.order},
                    {"sides", sides(pde)},
                    {"cases", nlohmann::json::array()}});
  for (const PdeCase& c : quadrille::pde_cases())
    for (nlohmann::json& pde : list)
      if (pde["name"] == c.pde->name)
        pde["cases"].push_back({{"name", c.name},
                                {"dimension", c.dimension},
                                {"stencil", c.stencil},
                                {"sides", c.sides},
                                {"arguments", c.pde->name + " --stencil " + c.stencil + " --dof " +
                                                  std::to_string(c.dof) + " --boundary " + c.sides}});
  std::cout << list.dump(1) << "\n";
}
