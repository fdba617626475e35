// Lines of text that arrive in pieces, and the words and numbers in them, with errors that name file and
// line. Internal to assembly.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "grid/error.hpp"

namespace quadrille {

inline constexpr std::size_t first_buffer_bytes = 64 * 1024;
inline constexpr std::size_t max_line_bytes = 1024 * 1024;

inline bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

// The lines of a text that arrives in pieces; only the longest line is ever held.
struct LineReader {
  std::string name;
  std::int64_t text_bytes;                              // of the file, as stored
  std::function<std::size_t(char*, std::size_t)> more;  // fills a buffer; 0 at the end
  std::vector<char> buffer = std::vector<char>(first_buffer_bytes);
  std::size_t begin = 0, end = 0;
  bool exhausted = false;
  std::int64_t line = 0;

  [[noreturn]] void fail(const std::string& sentence) const {
    throw InputError(name + ":" + std::to_string(std::max<std::int64_t>(line, 1)) + ": " + sentence);
  }

  // The next line without its end; valid until the next call. False at the end of the text.
  bool next(std::string_view& text) {
    std::size_t searched = begin;
    while (true) {
      const char* start = buffer.data() + begin;
      if (const void* newline = std::memchr(buffer.data() + searched, '\n', end - searched)) {
        text = {start, static_cast<std::size_t>(static_cast<const char*>(newline) - start)};
        begin += text.size() + 1;
        ++line;
        return true;
      }
      if (exhausted) {
        text = {start, end - begin};
        begin = end;
        if (!text.empty()) ++line;
        return !text.empty();
      }
      searched = end - begin;
      refill();
    }
  }

  // The next line that is neither blank nor a comment, without blanks at its ends.
  bool next_content(std::string_view& text) {
    while (next(text)) {
      while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
      while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
      if (!text.empty() && text.front() != '%') return true;
    }
    return false;
  }

 private:
  void refill() {
    std::copy(buffer.begin() + begin, buffer.begin() + end, buffer.begin());
    end -= begin;
    begin = 0;
    if (end == buffer.size()) {
      if (end >= max_line_bytes) {
        ++line;
        fail("a line of more than 1 MiB; check that this is a Matrix Market file");
      }
      buffer.resize(2 * buffer.size());
    }
    const std::size_t count = more(buffer.data() + end, buffer.size() - end);
    exhausted = count == 0;
    end += count;
  }
};

// A piece of the file as a message may show it.
inline std::string quoted(std::string_view text) {
  std::string shown(text.substr(0, 40));
  for (char& c : shown)
    if (c < ' ' || c > '~') c = '?';
  return "'" + shown + (text.size() > 40 ? "...'" : "'");
}

// Takes the first word off `text`; empty when there is none.
inline std::string_view take_word(std::string_view& text) {
  std::size_t start = 0;
  while (start < text.size() && is_blank(text[start])) ++start;
  std::size_t stop = start;
  while (stop < text.size() && !is_blank(text[stop])) ++stop;
  const std::string_view word = text.substr(start, stop - start);
  text.remove_prefix(stop);
  return word;
}

inline std::int64_t take_integer(const LineReader& reader, std::string_view& text, const char* what) {
  const std::string_view word = take_word(text);
  if (word.empty()) reader.fail(std::string("the ") + what + " is missing; add it");
  std::int64_t value = 0;
  const auto [stop, error] =
      std::from_chars(word.data() + (word[0] == '+'), word.data() + word.size(), value);
  if (error == std::errc::invalid_argument || stop != word.data() + word.size() || word.starts_with("+-"))
    reader.fail(std::string("the ") + what + " " + quoted(word) + " is not a whole number; correct it");
  if (error == std::errc::result_out_of_range)
    reader.fail(std::string("the ") + what + " " + quoted(word) + " does not fit 64 bits; correct it");
  return value;
}

// Of a decimal number that a double cannot hold: is it too large, rather than too small?
inline bool is_too_large(std::string_view word) {
  const std::size_t exponent_at = word.find_first_of("eE");
  std::int64_t order = 0;
  if (exponent_at != std::string_view::npos) {
    const bool negative = word[exponent_at + 1] == '-';
    for (const char c : word.substr(exponent_at + 1))
      if (c >= '0' && c <= '9') order = std::min<std::int64_t>(10 * order + (c - '0'), std::int64_t{1} << 40);
    if (negative) order = -order;
  }
  const std::string_view digits = word.substr(0, exponent_at);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t leading = std::min(digits.find_first_of("123456789"), digits.size());
  return order + static_cast<std::int64_t>(point) - static_cast<std::int64_t>(leading) > 0;
}

inline double take_real(const LineReader& reader, std::string_view& text) {
  const std::string_view word = take_word(text);
  if (word.empty()) reader.fail("the value is missing; add it, or call the field 'pattern'");
  std::string_view number = word;
  if (number[0] == '+' && !number.starts_with("+-")) number.remove_prefix(1);
  double value = 0;
  auto result = std::from_chars(number.data(), number.data() + number.size(), value);
  std::string fortran;
  const std::size_t d = number.find_first_of("dD");
  if (result.ec == std::errc() && d != number.npos && result.ptr == number.data() + d) {
    fortran = number;
    fortran[d] = 'e';
    number = fortran;
    result = std::from_chars(number.data(), number.data() + number.size(), value);
  }
  if (result.ec == std::errc::invalid_argument || result.ptr != number.data() + number.size())
    reader.fail("the value " + quoted(word) + " is not a number; correct it");
  if (result.ec == std::errc::result_out_of_range) {
    if (is_too_large(number))
      reader.fail("the value " + quoted(word) + " is too large for a double; rescale the matrix");
    return number[0] == '-' ? -0.0 : 0.0;
  }
  return value;
}

}  // namespace quadrille
