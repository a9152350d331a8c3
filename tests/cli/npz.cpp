// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include <cli/run.hpp>
#include <revode/io/npz.hpp>
#if defined(REVODE_HDF5)
#include <revode/io/hdf5.hpp>
#endif

namespace revode::cli {
namespace {

std::vector<double> numbers(const named_arrays& all, const std::string& name) {
  const npy_array* found = find_array(all, name);
  REQUIRE(found != nullptr);
  return std::get<std::vector<double>>(found->elements);
}

}  // namespace

TEST_CASE("--out run.npz has the numbers of --json, and everything that was asked for") {
  const temporary_file out("run.npz");
  const auto j = run("grad lorenz --t1 1 --save-count 4 --json --out '" + out.path() + "'").json();
  const named_arrays all = read_npz(out.text(), "run.npz");
  CHECK(find_array(all, "y")->shape == std::vector<index>{5, 3});
  CHECK(numbers(all, "t") == std::vector<double>{0, 0.25, 0.5, 0.75, 1});
  CHECK(numbers(all, "grad_p") == j["gradient"]["p"].get<std::vector<double>>());
  CHECK(numbers(all, "grad_y0") == j["gradient"]["y0"].get<std::vector<double>>());
  CHECK(std::get<std::vector<std::string>>(find_array(all, "labels")->elements) ==
        std::vector<std::string>{"x", "y", "z"});
  CHECK(std::get<std::vector<index>>(find_array(all, "accepted")->elements)[0] ==
        j["stats"]["accepted"]);
}

#if defined(REVODE_HDF5)
TEST_CASE("--out run.h5 has the arrays of run.npz, and merged parts the bytes of the whole") {
  const temporary_file npz("run.npz"), h5("run.h5"), a("a.h5"), b("b.h5"), whole("whole.h5"),
      all("all.h5");
  for (const temporary_file* out : {&npz, &h5})
    REQUIRE(run("grad lorenz --t1 1 --save-count 4 --out '" + out->path() + "'").exit_status == 0);
  CHECK(npz_bytes(read_hdf5(h5.text(), "run.h5")) == npz.text());
  const std::string lanes = "ensemble lorenz --lanes 9 --sweep p:1=20:30 --t1 1 --gradient --out '";
  REQUIRE(run(lanes + whole.path() + "'").exit_status == 0);
  REQUIRE(run(lanes + a.path() + "' --lanes-to 4").exit_status == 0);
  REQUIRE(run(lanes + b.path() + "' --lanes-from 4").exit_status == 0);
  REQUIRE(
      run("merge '" + b.path() + "' '" + a.path() + "' --out '" + all.path() + "'").exit_status ==
      0);
  CHECK(all.text() == whole.text());
}
#else
TEST_CASE("--out run.h5 without HDF5 is refused in words") {
  CHECK(run("solve decay --out x.h5").err ==
        "invalid --out 'x.h5' (this revode was built without HDF5, libhdf5-dev) give a name that "
        "ends in .csv or .npz?\n");
}
#endif

TEST_CASE("parts of an ensemble, merged, have the bytes of the whole") {
  const temporary_file a("a.npz"), b("b.npz"), c("c.npz"), whole("whole.npz"), all("all.npz");
  for (const std::string& ensemble :
       {std::string("ensemble lorenz --lanes 37 --sweep p:1=20:30 --t1 2 --gradient"),
        std::string("ensemble lorenz --lanes 9 --sweep p:1=20:30 --sweep y0:0=1:2 --t1 1 --device "
                    "threads --max-steps 40")}) {
    CAPTURE(ensemble);
    const auto part = [&](const std::string& words, const temporary_file& to) {
      return run(ensemble + " " + words + " --out '" + to.path() + "'").exit_status;
    };
    const int status = part("", whole);
    CHECK(part("--lanes-to 4", a) == status);
    CHECK(part("--lanes-from 4 --lanes-to 5", b) == status);
    CHECK(part("--lanes-from 5", c) == status);
    const outcome o = run("merge '" + c.path() + "' '" + a.path() + "' '" + b.path() + "' --out '" +
                          all.path() + "'");
    CHECK(o.exit_status == 0);
    CHECK(o.out.find(" lanes of 3 parts in ") != std::string::npos);
    CHECK(all.text().size() > 1000);
    CHECK(all.text() == whole.text());
  }
  const std::string why = run("merge '" + a.path() + "' '" + c.path() + "' --out x.npz").err;
  CHECK(
      why ==
      "no part with the lanes from 4 to 5 (of the ensemble's 9 each is merged once) solve them by "
      "'revode ensemble … --lanes-from 4 --lanes-to 5'?\n");
  CHECK(run("merge '" + a.path() + "' '" + a.path() + "' --out x.npz")
            .err.find("(lane 0 is in another part as well)") != std::string::npos);
  run("ensemble lorenz --lanes 9 --sweep p:1=20:31 --sweep y0:0=1:2 --t1 1 --device threads "
      "--max-steps 40 --lanes-from 4 --out '" +
      b.path() + "'");
  CHECK(run("merge '" + a.path() + "' '" + b.path() + "' --out x.npz")
            .err.find("(its sweep is not that of '" + a.path() + "')") != std::string::npos);
}

TEST_CASE("parts and results: misuse is one line of the known form") {
  const std::vector<std::pair<std::string, std::string>> all{
      {"solve decay --out x.nc",
       "invalid --out 'x.nc' (results are CSV, or arrays in NumPy's format or HDF5) give a name "
       "that ends in .csv, .npz or .h5?"},
      {"ensemble decay --lanes 8 --sweep p:0=1:2 --lanes-from 8",
       "lanes from 8 to 8 of 8 (a part begins at 0 or behind and ends behind its first lane, at "
       "the "
       "last or before) give e.g. --lanes-from 0 --lanes-to 4?"},
      {"merge --out x.npz",
       "no parts to merge (the lanes of an ensemble lie in them) give files by 'revode ensemble … "
       "--out part.npz'?"},
      {"merge a.npz",
       "'revode merge' with no --out (all lanes go into an NPZ or HDF5 file) give e.g. --out "
       "all.npz?"},
      {"merge /nowhere/a.npz --out x.npz",
       "cannot read '/nowhere/a.npz' (No such file or directory) give a file by 'revode ensemble … "
       "--out part.npz'?"},
      {"merge '" REVODE_COMMAND "' --out x.npz",
       "cannot read '" REVODE_COMMAND
       "' (it is no zip archive) give a file by numpy.savez or revode, as it was written?"}};
  for (const auto& [words, text] : all) {
    const auto& the_words = words;
    CAPTURE(the_words);
    const outcome o = run(words);
    CHECK(o.exit_status == 2);
    CHECK(o.err == text + "\n");
    CHECK(o.out.empty());
  }
}

TEST_CASE("NumPy reads run.npz, where it is installed") {
  if (std::system("python3 -c 'import numpy' >/dev/null 2>&1") != 0) return;
  const temporary_file out("numpy.npz"), back("back.npz");
  run("solve bouncing_ball --save-count 3 --out '" + out.path() + "'");
  const std::string script =
      "import sys, numpy as n; z = n.load(sys.argv[1]); n.savez(sys.argv[2], **z); "
      "print(z['y'].shape, z['status'], len(z['event_t']) > 0)";
  std::FILE* pipe = popen(
      ("python3 -c \"" + script + "\" '" + out.path() + "' '" + back.path() + "'").c_str(), "r");
  char line[200] = "";
  CHECK(std::fgets(line, sizeof line, pipe) != nullptr);
  CHECK(pclose(pipe) == 0);
  CHECK(std::string(line) == "(4, 2) success True\n");
  const named_arrays ours = read_npz(out.text(), "ours"), theirs = read_npz(back.text(), "theirs");
  CHECK(ours.size() == theirs.size());
  for (const auto& [name, array] : ours)
    CHECK(npy_bytes(*find_array(theirs, name)) == npy_bytes(array));
}

}  // namespace revode::cli
