// The choice of a format, its memory on disk, and the name of a structure.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "cases.hpp"
#include "formats/compact.hpp"
#include "kernels/tuning/choose_format.hpp"
#include "kernels/tuning/fingerprint.hpp"

namespace quadrille {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "quadrille-choice-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() {
    std::error_code ignored;
    fs::permissions(path_, fs::perms::owner_all, ignored);
    fs::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(ChoiceCache, FindsWhatWasRememberedLast) {
  const Folder folder;
  ChoiceCache cache(folder.path() + "/new/folder");
  EXPECT_FALSE(cache.find("a"));
  cache.remember("a", {"cds", "cuda", 0.25, 1795000000});
  cache.remember("b", {"csr", "cpu", 1e-4, 5});
  cache.remember("a", {"dia", "cuda", 1.0 / 3, 1795000001});
  for (ChoiceCache again : {cache, ChoiceCache(folder.path() + "/new/folder")}) {
    const std::optional<RememberedChoice> a = again.find("a");
    ASSERT_TRUE(a);
    EXPECT_EQ(a->format, "dia");
    EXPECT_EQ(a->space, "cuda");
    EXPECT_EQ(a->ms, 1.0 / 3);
    EXPECT_EQ(a->when_s, 1795000001);
    EXPECT_EQ(again.find("b")->format, "csr");
    EXPECT_TRUE(again.take_notes().empty());
  }
  cache.forget("a");
  EXPECT_FALSE(cache.find("a"));
  EXPECT_TRUE(cache.find("b"));
  cache.remember("with\ttab\nand line", {"ell", "cpu", 1, 1});
  EXPECT_TRUE(cache.find("with\ttab\nand line"));
  EXPECT_TRUE(cache.find("b"));
  EXPECT_TRUE(cache.take_notes().empty());
}

TEST(ChoiceCache, WithoutAFolderRemembersNothing) {
  ChoiceCache cache("");
  cache.remember("a", {"cds", "cuda", 1, 1});
  EXPECT_FALSE(cache.find("a"));
  EXPECT_TRUE(cache.take_notes().empty());
}

// Whatever stands in the file: a note, the good lines, and the next choice is remembered.
TEST(ChoiceCache, IgnoresWhatIsBroken) {
  const std::string good = "quadrille format choices 1\nold\tcsr\tcuda\t0.5\t7\n";
  const struct {
    const char* name;
    std::string text;
    bool keeps_old;
  } cases[] = {
      {"foreign", "{\"json\": true}\n", false},
      {"newer", "quadrille format choices 2\nold\tcsr\tcuda\t0.5\t7\n", false},
      {"empty", "", false},
      {"binary", std::string("\0\1\2\xff", 4), false},
      {"cut", good + "half\tcsr\tcu", true},
      {"not a number", good + "key\tcsr\tcuda\tfast\t7\n", true},
      {"negative", good + "key\tcsr\tcuda\t-1\t7\n", true},
      {"no such space", good + "key\tcsr\ttpu\t1\t7\n", true},
      {"too many fields", good + "key\tcsr\tcuda\t1\t7\t8\n", true},
      {"large", std::string(5 << 20, 'x'), false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Folder folder;
    ChoiceCache cache(folder.path());
    std::ofstream(cache.path()) << c.text;
    EXPECT_FALSE(cache.find("half"));
    EXPECT_EQ(cache.take_notes().size(), 1u);
    EXPECT_EQ(cache.find("old").has_value(), c.keeps_old);
    cache.remember("new", {"cds", "cpu", 2, 9});
    cache.take_notes();
    EXPECT_EQ(cache.find("new")->format, "cds");
    EXPECT_EQ(cache.find("old").has_value(), c.keeps_old);
    EXPECT_TRUE(cache.take_notes().empty());
  }
}

TEST(ChoiceCache, NotesAFolderItCannotWrite) {
  const Folder folder;
  std::ofstream(folder.path() + "/file") << "x";
  ChoiceCache under_a_file(folder.path() + "/file/cache");
  under_a_file.remember("a", {"cds", "cpu", 1, 1});
  EXPECT_EQ(under_a_file.take_notes().size(), 1u);
  EXPECT_FALSE(under_a_file.find("a"));
  fs::create_directory(folder.path() + "/format_choices.txt");  // a folder of the file's name
  ChoiceCache in_the_way(folder.path());
  in_the_way.remember("a", {"cds", "cpu", 1, 1});
  EXPECT_FALSE(in_the_way.take_notes().empty());
  if (::geteuid() == 0) return;  // root may write everywhere
  const Folder locked;
  fs::permissions(locked.path(), fs::perms::owner_read | fs::perms::owner_exec);
  ChoiceCache cache(locked.path());
  cache.remember("a", {"cds", "cpu", 1, 1});
  EXPECT_EQ(cache.take_notes().size(), 1u);
}

TEST(ChoiceCache, LosesNothingBetweenProcesses) {
  const Folder folder;
  constexpr int processes = 4, keys = 25;
  for (int p = 0; p < processes; ++p)
    if (::fork() == 0) {
      ChoiceCache cache(folder.path());
      for (int k = 0; k < keys; ++k)
        cache.remember(std::to_string(p) + "/" + std::to_string(k), {"cds", "cuda", 1.0 + k, k});
      ::_exit(cache.take_notes().empty() ? 0 : 1);
    }
  for (int p = 0; p < processes; ++p) {
    int status = -1;
    ::wait(&status);
    EXPECT_EQ(status, 0);
  }
  ChoiceCache cache(folder.path());
  for (int p = 0; p < processes; ++p)
    for (int k = 0; k < keys; ++k) EXPECT_TRUE(cache.find(std::to_string(p) + "/" + std::to_string(k)));
  EXPECT_TRUE(cache.take_notes().empty());
  for (const auto& file : fs::directory_iterator(folder.path()))
    EXPECT_EQ(file.path().filename().string().find(".choices-"), std::string::npos);
}

TEST(ChoiceCache, StaysSmall) {
  const Folder folder;
  ChoiceCache cache(folder.path());
  std::string text = "quadrille format choices 1\n";
  for (std::size_t k = 0; k < ChoiceCache::most_lines + 10; ++k)
    text += "key" + std::to_string(k) + "\tcsr\tcuda\t1\t1\n";
  std::ofstream(cache.path()) << text;
  cache.remember("new", {"cds", "cuda", 1, 2});
  const std::string now = text_of(cache.path());
  EXPECT_EQ(static_cast<std::size_t>(std::count(now.begin(), now.end(), '\n')), ChoiceCache::most_lines + 1);
  EXPECT_FALSE(cache.find("key10"));
  EXPECT_TRUE(cache.find("key11"));
  EXPECT_TRUE(cache.find("new"));
}

TEST(ChoiceCache, FolderComesFromTheEnvironment) {
  const auto folder_with = [](const char* own, const char* xdg, const char* home) {
    for (const auto& [name, value] :
         {std::pair{"QUADRILLE_CACHE", own}, {"XDG_CACHE_HOME", xdg}, {"HOME", home}})
      value != nullptr ? ::setenv(name, value, 1) : ::unsetenv(name);
    return ChoiceCache::default_folder();
  };
  const char* const home = std::getenv("HOME");
  const std::string before = home != nullptr ? home : "/";
  EXPECT_EQ(folder_with("/own", "/xdg", "/home/me"), "/own");
  EXPECT_EQ(folder_with(nullptr, "/xdg", "/home/me"), "/xdg/quadrille");
  EXPECT_EQ(folder_with("", "relative", "/home/me"), "/home/me/.cache/quadrille");
  EXPECT_EQ(folder_with(nullptr, nullptr, nullptr), "");
  folder_with(nullptr, nullptr, before.c_str());
}

TEST(Fingerprint, IsOfTheStructureAndNotOfTheValues) {
  const auto print = [](Csr<double> csr) {
    FormatInput<double> source;
    source.csr = std::make_shared<const Csr<double>>(std::move(csr));
    return fingerprint(source, sparsity_of(source, {}));
  };
  const std::string first = print(random_matrix<double>(200, 200, 5, -1, false, 3));
  Csr<double> other_values = random_matrix<double>(200, 200, 5, -1, false, 3);
  for (std::int64_t k = 0; k < other_values.nnz(); ++k) other_values.value[k] = 7;
  EXPECT_EQ(first, print(std::move(other_values)));
  EXPECT_NE(first, print(random_matrix<double>(200, 200, 5, -1, false, 4)));
  EXPECT_NE(print(csr_of<double>(2, 2, {1, 1, 0, 0})), print(csr_of<double>(2, 2, {0, 0, 1, 1})));
  EXPECT_NE(print(csr_of<double>(2, 2, {1, 0, 0, 0})), print(csr_of<double>(2, 2, {0, 1, 0, 0})));
  EXPECT_NE(print(csr_of<double>(1, 2, {1, 0})), print(csr_of<double>(1, 3, {1, 0, 0})));
}

TEST(Fingerprint, OfAGridIsOfItsStructure) {
  const auto print = [](const Grid& grid, const Boundary& boundary) {
    const Case<double> c = grid_case<double>(grid, star_stencil(2, 1), boundary, {5, false});
    return fingerprint(c.source, sparsity_of(c.source, c.options));
  };
  Boundary periodic;
  periodic.faces.fill({BoundaryKind::periodic, 0});
  const Grid grid{.dimension = 2, .extents = {6, 8, 1}, .dof = 2};
  EXPECT_EQ(print(grid, {}), print(grid, {}));
  EXPECT_NE(print(grid, {}), print(grid, periodic));
  EXPECT_NE(print(grid, {}), print({.dimension = 2, .extents = {8, 6, 1}, .dof = 2}, {}));
}

ChoiceWishes on_the_cpu(const std::string& folder) {
  ChoiceWishes wishes;
  wishes.space = SpaceKind::cpu;
  wishes.cache_folder = folder;
  return wishes;
}

TEST(ChooseFormat, TakesThePredictedBestOfEveryCase) {
  for (const Case<double>& c : grid_cases<double>(false)) {
    ChoiceWishes wishes = on_the_cpu("");
    wishes.format_options = c.options;
    const FormatChoice choice = choose_format(c.source, wishes);
    EXPECT_EQ(choice.basis, ChoiceBasis::predicted);
    EXPECT_EQ(choice.best().name, choice.predictions.front().format);
    EXPECT_EQ(choice.entries.size(), choice.predictions.size());
    EXPECT_NE(explain(choice).find("auto: " + choice.best().name + " on cpu, predicted"), std::string::npos);
  }
}

TEST(ChooseFormat, MeasuresOnceAndRemembers) {
  const Folder folder;
  FormatInput<double> source;
  source.csr = std::make_shared<const Csr<double>>(random_matrix<double>(300, 300, 7, -1, false, 3));
  ChoiceWishes wishes = on_the_cpu(folder.path());
  wishes.within = 1e9;
  wishes.measure = true;
  const FormatChoice measured = choose_format(source, wishes);
  EXPECT_EQ(measured.basis, ChoiceBasis::measured);
  ASSERT_EQ(measured.measured.size(), 4u);
  EXPECT_EQ(measured.measured.front().format, measured.best().name);
  for (const MeasuredFormat& m : measured.measured)
    EXPECT_TRUE(m.refused.empty() && m.ms >= measured.ms) << m.refused;
  EXPECT_NE(explain(measured).find("measured"), std::string::npos);

  for (const bool measure : {true, false}) {
    wishes.measure = measure;
    const FormatChoice known = choose_format(source, wishes);
    EXPECT_EQ(known.basis, ChoiceBasis::remembered);
    EXPECT_EQ(known.best().name, measured.best().name);
    EXPECT_EQ(known.ms, measured.ms);
    EXPECT_NE(explain(known).find("remembered from 20"), std::string::npos) << explain(known);
  }
  ChoiceWishes other = wishes;  // another version, product, precision or parameter is another key
  other.version = "another";
  EXPECT_EQ(choose_format(source, other).basis, ChoiceBasis::predicted);
  other = wishes;
  other.product.transposed = true;
  EXPECT_EQ(choose_format(source, other).basis, ChoiceBasis::predicted);
  other = wishes;
  other.format_options.cmrs_height = 8;
  EXPECT_EQ(choose_format(source, other).basis, ChoiceBasis::predicted);
  other = wishes;
  other.format_options.products = 3;
  EXPECT_EQ(choose_format(source, other).basis, ChoiceBasis::predicted);
  FormatInput<float> single;
  single.csr = std::make_shared<const Csr<float>>(cast<float>(*source.csr));
  EXPECT_EQ(choose_format(single, wishes).basis, ChoiceBasis::predicted);
  wishes.again = true;
  EXPECT_EQ(choose_format(source, wishes).basis, ChoiceBasis::measured);
}

// Few products pay their part of the set-up, predicted or measured: the format that the operator comes in
// needs none.
TEST(ChooseFormat, CountsTheSetUpOfFewProducts) {
  FormatInput<double> matrix;
  matrix.csr = std::make_shared<const Csr<double>>(random_matrix<double>(3000, 3000, 7, -1, false, 3));
  const Case<double> grid = grid_case<double>({.dimension = 2, .extents = {40, 30, 1}, .dof = 2},
                                              star_stencil(2, 1), {}, {5, false});
  ChoiceWishes wishes = on_the_cpu("");
  wishes.format_options.products = 1;
  const FormatChoice predicted = choose_format(matrix, wishes);
  EXPECT_EQ(predicted.best().name, "csr");
  EXPECT_EQ(explain(predicted).find("auto: csr on cpu for 1 product, predicted "), 0u) << explain(predicted);
  EXPECT_EQ(choose_format(grid.source, wishes).best().name, "cds");
  wishes.format_options.products = 3;
  wishes.again = true;
  wishes.within = 1e9;
  wishes.most_measured = 100;
  const FormatChoice measured = choose_format(matrix, wishes);
  EXPECT_EQ(measured.basis, ChoiceBasis::measured);
  EXPECT_NE(explain(measured).find(" on cpu for 3 products, measured "), std::string::npos)
      << explain(measured);
  ASSERT_GT(measured.measured.size(), 4u);
  for (const MeasuredFormat& m : measured.measured)
    if (m.refused.empty()) {
      EXPECT_GT(m.set_up_ms, 0) << m.format;
      EXPECT_GT(m.ms, m.set_up_ms / 3) << m.format;
      EXPECT_GE(m.ms, measured.ms) << m.format;
    }
}

TEST(ChooseFormat, MeasuresTransposedAndSeveralVectors) {
  FormatInput<double> source;
  source.csr = std::make_shared<const Csr<double>>(random_matrix<double>(120, 90, 7, -1, false, 3));
  for (const Product& product : {Product{true, 1}, Product{false, 5}}) {
    ChoiceWishes wishes = on_the_cpu("");
    wishes.product = product;
    wishes.again = true;
    wishes.within = 1e9;
    const FormatChoice choice = choose_format(source, wishes);
    EXPECT_EQ(choice.basis, ChoiceBasis::measured);
    EXPECT_TRUE(choice.notes.empty()) << choice.notes.front();
  }
}

TEST(ChooseFormat, MeasuresAHubWithoutCsr) {
  Case<double> c =
      grid_case<double>({.dimension = 2, .extents = {9, 7, 1}, .dof = 2}, star_stencil(2, 1), {}, {5, false});
  c.source.csr.reset();
  ChoiceWishes wishes = on_the_cpu("");
  wishes.measure = true;
  wishes.within = 1e9;
  const FormatChoice choice = choose_format(c.source, wishes);
  EXPECT_EQ(choice.basis, ChoiceBasis::measured);
  EXPECT_TRUE(choice.best().name == "cds" || choice.best().name == "dia");
  wishes.product.transposed = true;
  const FormatChoice unchecked = choose_format(c.source, wishes);
  EXPECT_EQ(unchecked.basis, ChoiceBasis::predicted);
  ASSERT_EQ(unchecked.notes.size(), 1u);
  EXPECT_NE(unchecked.notes.front().find("cannot be checked"), std::string::npos);
}

// A product that the check calls wrong is not chosen, whatever its time.
TEST(ChooseFormat, LeavesOutWhatIsWrong) {
  FormatInput<double> source;
  source.csr = std::make_shared<const Csr<double>>(random_matrix<double>(50, 50, 5, -1, false, 3));
  ChoiceWishes wishes = on_the_cpu("");
  wishes.measure = true;
  wishes.within = 1e9;
  const std::vector<double> x(50, 1.0);
  int calls = 0;
  const ProductCheckFunction<double> second_only = [&](const double*) { return ++calls == 2 ? 0.5 : 2.0; };
  const FormatChoice choice = choose_format(source, wishes, nullptr, &x, second_only);
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(choice.basis, ChoiceBasis::measured);
  EXPECT_EQ(choice.best().name, choice.predictions[1].format);
  EXPECT_EQ(choice.notes.size(), 3u);
  const ProductCheckFunction<double> none = [](const double*) { return 2.0; };
  EXPECT_EQ(choose_format(source, wishes, nullptr, &x, none).basis, ChoiceBasis::predicted);
}

TEST(ChooseFormat, ABrokenCacheIsANote) {
  const Folder folder;
  std::ofstream(ChoiceCache(folder.path()).path()) << "not ours\n";
  FormatInput<double> source;
  source.csr = std::make_shared<const Csr<double>>(paper_matrix<double>());
  const FormatChoice choice = choose_format(source, on_the_cpu(folder.path()));
  EXPECT_EQ(choice.basis, ChoiceBasis::predicted);
  ASSERT_EQ(choice.notes.size(), 1u);
  EXPECT_NE(choice.notes.front().find("does not begin with"), std::string::npos);
}

// What changes is held by what its fill takes: of three species that react at a node, 9 numbers and 6 times 3.
TEST(ChooseFormat, OfValuesThatChangeGoesByTheFill) {
  struct Reacts {
    constexpr bool couples(bool centre, int r, int c) const { return centre || r == c; }
    constexpr double operator()(const StencilNode&, const StencilNeighbour& to, int r, int c) const {
      return couples(to.offset == Offset{}, r, c) ? 1 + r : 0;  // all constant now
    }
  };
  const Case<double> c =
      grid_case<double>({.extents = {40, 30, 20}, .dof = 3}, star_stencil(3, 1), Boundary{}, Reacts{});
  FormatInput<double> source;
  source.hub = c.source.hub;
  ChoiceWishes wishes;
  wishes.space = SpaceKind::cpu;
  wishes.cpu = usual_cpu_model();
  wishes.values_change = true;
  const FormatChoice choice = choose_format(source, wishes);
  const auto compact = std::find_if(choice.predictions.begin(), choice.predictions.end(),
                                    [](const Prediction& p) { return p.format == "compact"; });
  ASSERT_NE(compact, choice.predictions.end());
  EXPECT_EQ(compact->traffic.stored_bytes, compact_traffic(*c.source.hub, 9 + 6 * 3, 8).stored_bytes);
  EXPECT_EQ(std::count_if(choice.predictions.begin(), choice.predictions.end(),
                          [](const Prediction& p) { return p.format == "stencil_table"; }),
            0);
}

}  // namespace
}  // namespace quadrille
