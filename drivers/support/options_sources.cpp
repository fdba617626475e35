#include "drivers/support/options_sources.hpp"

#include <algorithm>
#include <boost/program_options/cmdline.hpp>
#include <boost/program_options/errors.hpp>
#include <boost/program_options/parsers.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "drivers/fields/paths.hpp"
#include "grid/error.hpp"
#include "grid/suggestion.hpp"

namespace po = boost::program_options;

namespace quadrille {

namespace {

Words names_of(unsigned commands) {
  Words names;
  for (const OptionSpec& option : option_table())
    if (option.commands & commands) names.push_back(option.name);
  return names;
}

[[noreturn]] void refuse_unknown(const std::string& token, const CommandSpec& command) {
  const std::string written = token.substr(0, token.find('='));
  const std::string bare = written.substr(std::min(written.find_first_not_of('-'), written.size()));
  if (find_option(bare) && !find_option(bare, command.bit))
    throw InputError("'" + written + "' is not an option of " + command.name + "; 'quadrille " +
                     command.name + " --help' lists those");
  const std::string hint = suggestion(bare, names_of(command.bit), "--");
  const bool of_petsc = hint.empty() && written.size() > 2 && written[0] == '-' && written[1] != '-';
  throw InputError("unknown option '" + written + "'" +
                   (of_petsc       ? "; PETSc's own stand behind a bare --, at the end"
                    : hint.empty() ? "; 'quadrille " + command.name + " --help' lists the known ones"
                                   : hint));
}

InputError value_missing(const std::string& name, const CommandSpec& command) {
  return InputError("--" + name + " needs a value: --" + name + " " +
                    find_option(name, command.bit)->value_name);
}

// What Boost says about syntax, in this program's words.
InputError reworded(const po::invalid_command_line_syntax& error, const CommandSpec& command) {
  std::string name = error.get_option_name();
  name.erase(0, name.find_first_not_of('-'));
  const OptionSpec* const option = find_option(name, command.bit);
  if (!option)
    return InputError("'" + error.get_option_name() +
                      "' is not understood; options are written --name value");
  if (option->value_name.empty()) return InputError("--" + name + " is a switch and takes no value");
  return value_missing(name, command);
}

po::parsed_options parse_words(const Words& words, const po::options_description& known,
                               const CommandSpec& command) {
  namespace style = po::command_line_style;
  try {
    return po::command_line_parser(words)
        .options(known)
        .style(style::unix_style & ~style::allow_guessing)
        .allow_unregistered()
        .run();
  } catch (const po::invalid_command_line_syntax& error) {
    throw reworded(error, command);
  } catch (const po::error& error) {
    throw InputError(std::string("the command line is not understood: ") + error.what());
  }
}

void add_setting(Settings& settings, const std::string& name, const Setting& setting) {
  if (!settings.emplace(name, setting).second) throw InputError(setting.place + " is given twice");
}

// A word without a dash: the matrix file of inspect, the experiment of bench, or a mistake.
void add_positional(Settings& settings, const std::string& word, const CommandSpec& command) {
  if (command.positional.empty())
    throw InputError("'" + word + "' is not understood; options of " + command.name + " begin with --");
  if (word.empty()) throw InputError(command.positional_name + " is empty");
  const Setting setting{word, command.positional_name, false};
  const auto [at, is_first] = settings.emplace(command.positional, setting);
  if (!is_first)
    throw InputError("'" + word + "' is one " + command.positional_kind + " too many; " + command.name +
                     " takes one " + command.positional_kind + ", '" + at->second.text + "'");
}

// `;` begins a comment at the start of a line and after a blank; Boost itself knows # alone, which does so
// anywhere.
void strip_comment(std::string& line) {
  for (std::size_t at = line.find(';'); at != std::string::npos; at = line.find(';', at + 1))
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') return line.resize(at);
}

// What Boost does not know of INI files: a byte order mark, every system's line ends, and `;`.
std::string plain_lines(const std::string& path, std::string text) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    throw InputError(path + ": is UTF-16; save it as UTF-8");
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  std::replace(text.begin(), text.end(), '\0', '?');
  std::replace(text.begin(), text.end(), '\r', '\n');
  std::istringstream lines(text);
  std::string plain;
  for (std::string line; std::getline(lines, line); plain += line + "\n") {
    strip_comment(line);
    const std::size_t bracket = line.find_first_not_of(" \t[");
    if (line.find('[') < bracket && (bracket == std::string::npos || line[bracket] == ']'))
      throw InputError(path + ": '" + line + "' is not understood; a section is written [name]");
  }
  return plain;
}

po::parsed_options parse_config(const std::string& path) {
  std::ifstream file(path);
  std::error_code ignored;
  if (!file || std::filesystem::is_directory(path, ignored))
    throw InputError("--config '" + path + "': " + why_missing(path, "no such file can be read"));
  std::string text(1 << 20, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || (file.gcount() == 0 && !file.eof()) || !file.eof())
    throw InputError("--config '" + path + "': cannot be read as a file of at most 1 MiB");
  text.resize(static_cast<std::size_t>(file.gcount()));
  std::istringstream lines(plain_lines(path, std::move(text)));
  const po::options_description known = describe(for_all);
  try {
    return po::parse_config_file(lines, known, true);
  } catch (const po::invalid_syntax& error) {
    throw InputError(path + ": '" + error.tokens() +
                     "' is not understood; write 'name = value', [section], or # or ; before a comment");
  } catch (const po::error& error) {
    throw InputError(path + ": is not understood: " + error.what());
  }
}

}  // namespace

const CommandSpec& read_command(const std::string& name) {
  if (const CommandSpec* command = find_command(name)) return *command;
  Words names;
  for (const CommandSpec& command : command_table()) names.push_back(command.name);
  if (name.starts_with("-"))
    throw InputError("'" + name + "' stands where the subcommand must: write quadrille, then " +
                     listed(names) + ", then the options");
  throw InputError("unknown subcommand '" + name + "': must be " + listed(names) + suggestion(name, names));
}

Settings read_command_line(const Words& words, const CommandSpec& command) {
  const po::options_description known = describe(command.bit);
  const po::parsed_options parsed = parse_words(words, known, command);
  Settings settings;
  for (const po::option& option : parsed.options) {
    if (option.unregistered) refuse_unknown(option.original_tokens.at(0), command);
    if (option.string_key.empty()) {
      add_positional(settings, option.value.at(0), command);
      continue;
    }
    // --json --quiet: Boost would name the file "--quiet".
    if (option.original_tokens.size() > 1 && option.original_tokens[1].starts_with("--"))
      throw value_missing(option.string_key, command);
    const OptionSpec& spec = *find_option(option.string_key, command.bit);
    const bool is_switch = spec.value_name.empty();
    const Setting setting{is_switch ? "true" : option.value.at(0), "--" + option.string_key, false};
    if (setting.text.empty())
      throw InputError(setting.place + " has an empty value; leave it out for the default");
    if (const Setting* earlier = find(settings, option.string_key);
        earlier && earlier->place == command.positional_name)
      throw InputError(setting.place + " '" + setting.text + "': the " + command.positional_kind + " '" +
                       earlier->text + "' is already given");
    if (const auto earlier = settings.find(option.string_key);
        !spec.repeats_with.empty() && earlier != settings.end())
      earlier->second.text += spec.repeats_with + setting.text;
    else
      add_setting(settings, option.string_key, setting);
  }
  return settings;
}

Settings read_config(const std::string& path, const CommandSpec& command) {
  Settings settings, shared;
  for (const po::option& option : parse_config(path).options) {
    const std::size_t dot = option.string_key.rfind('.');  // Boost writes section.name
    const std::string name = option.string_key.substr(dot + 1);
    const std::string section = dot == std::string::npos ? "" : trimmed(option.string_key.substr(0, dot));
    const OptionSpec* spec = find_option(name);
    if (!spec)
      throw InputError(path + ": unknown option '" + name + "'" + suggestion(name, names_of(for_all)));
    if (!spec->resolves) throw InputError(path + ": " + name + ": belongs on the command line, as --" + name);
    if (section != command.name && find_command(section)) continue;
    add_setting(section == command.name ? settings : shared, name,
                {option.value.empty() ? "" : option.value[0], path + ": " + name, true});
  }
  settings.merge(shared);  // what is there already stays
  std::erase_if(settings, [&](const auto& entry) {
    return entry.second.text.empty() || !find_option(entry.first, command.bit);
  });
  return settings;
}

}  // namespace quadrille
