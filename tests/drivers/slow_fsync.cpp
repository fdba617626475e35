// Preloaded by cli_signal_test: files are under their temporary names for as long as the test needs.
#include <unistd.h>

extern "C" int fsync(int) {
  sleep(60);
  return 0;
}
