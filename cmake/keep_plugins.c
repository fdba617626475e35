// Preloaded by ./run-tests --sanitize: libraries stay mapped, so that a leak report can name them.
int dlclose(void* handle) {
  (void)handle;
  return 0;
}
