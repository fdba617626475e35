// What the program's tests from outside iterate over: every PDE with its cases, as arguments of
// `quadrille solve`, as JSON.
#include <iostream>
#include <nlohmann/json.hpp>

#include "tests/pde_cases.hpp"

int main() {
  using quadrille::PdeCase;
  nlohmann::json list = nlohmann::json::array();
  for (const quadrille::Pde& pde : quadrille::linear_pdes())
    list.push_back({{"name", pde.name}, {"order", pde.order}, {"cases", nlohmann::json::array()}});
  for (const PdeCase& c : quadrille::pde_cases())
    for (nlohmann::json& pde : list)
      if (pde["name"] == c.pde->name)
        pde["cases"].push_back({{"name", c.name},
                                {"dimension", c.dimension},
                                {"arguments", c.pde->name + " --stencil " + c.stencil + " --dof " +
                                                  std::to_string(c.dof) + " --boundary " + c.sides}});
  std::cout << list.dump(1) << "\n";
}
