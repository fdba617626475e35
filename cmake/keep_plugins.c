// Preloaded by ./run-tests --sanitize, so that a leak report knows the library that the memory came from.
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

// Libraries stay mapped.
int dlclose(void* handle) {
  (void)handle;
  return 0;
}

// glibc's stand between the library and malloc without a frame that leads on to the library.
int __vasprintf_chk(char** text, int flag, const char* format, va_list arguments) {
  (void)flag;
  va_list again;
  va_copy(again, arguments);
  const int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  *text = length < 0 ? NULL : malloc((size_t)length + 1);
  return *text == NULL ? -1 : vsnprintf(*text, (size_t)length + 1, format, arguments);
}

int __asprintf_chk(char** text, int flag, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = __vasprintf_chk(text, flag, format, arguments);
  va_end(arguments);
  return length;
}
