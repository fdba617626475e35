// The sanitizers look at memory, not at numbers, and are slow: under them tests take fewer and smaller cases
// of the same code.
#pragma once

namespace quadrille {

#ifdef __SANITIZE_ADDRESS__
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace quadrille
