// A user's own, of a name that a header of the library's tree has as well.
#pragma once

constexpr int users_own_code = 7;
