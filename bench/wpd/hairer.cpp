// SPDX-License-Identifier: Apache-2.0
// Hairer's RADAU5, RADAU, RODAS and SEULEX, compiled by gfortran from a folder with their sources, each
// into a library of its own, since they share names.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "plain.hpp"

namespace revode::wpd {
namespace {

namespace fs = std::filesystem;

using field_function = void(const int*, const double*, const double*, double*, double*, int*);
using jacobian_function = void(const int*, const double*, const double*, double*, const int*,
                               double*, int*);
using nothing_function = void();
using radau_function = void(const int*, field_function*, double*, double*, const double*, double*,
                            double*, double*, const int*, jacobian_function*, const int*,
                            const int*, const int*, nothing_function*, const int*, const int*,
                            const int*, nothing_function*, const int*, double*, const int*, int*,
                            const int*, double*, int*, int*, char*, std::size_t);
using rodas_function = void(const int*, field_function*, const int*, double*, double*,
                            const double*, double*, double*, double*, const int*,
                            jacobian_function*, const int*, const int*, const int*, field_function*,
                            const int*, nothing_function*, const int*, const int*, const int*,
                            nothing_function*, const int*, double*, const int*, int*, const int*,
                            double*, int*, int*);
using seulex_function = void(const int*, field_function*, const int*, double*, double*,
                             const double*, double*, double*, double*, const int*,
                             jacobian_function*, const int*, int*, int*, nothing_function*,
                             const int*, int*, int*, nothing_function*, const int*, double*,
                             const int*, int*, const int*, double*, int*, int*);

const plain* current = nullptr;  // Fortran has no place for it

void field(const int*, const double* t, const double* y, double* dy, double*, int*) {
  current->field(current->self, *t, y, dy);
}
void jacobian(const int*, const double* t, const double* y, double* j, const int*, double*, int*) {
  current->jacobian(current->self, *t, y, j);
}
void time_derivative(const int*, const double* t, const double* y, double* out, double*, int*) {
  current->time_derivative(current->self, *t, y, out);
}
void nothing() {}

/// Room for a code's work, kept between solves.
struct room {
  std::vector<double> work;
  std::vector<int> iwork;
};

/// Reads the counts that both codes leave in the same places.
void count(const std::vector<int>& iwork, int outcome, ending& e) {
  if (outcome < 0) e.status = "idid " + std::to_string(outcome);
  e.fields += iwork[13];
  e.jacobians += iwork[14];
  e.accepted += iwork[16];
  e.rejected += iwork[17];
  e.factorizations += iwork[18];
}

const int zero = 0, one = 1;

/// What every code asks for, of one piece of a problem.
struct piece {
  double t, t1, relative, absolute, h;
  double none = 0;
  int unused = 0, outcome = 0;
};

/// The pieces of a problem in turn by code(piece, y); the most steps stand at iwork[limit_at].
template <class Code>
ending run(const plain& q, double rtol, room& r, int lwork, int liwork, int limit_at, Code code) {
  ending e{q.y0};
  current = &q;
  over_pieces(q.ends, q.t0, [&](double t, double t1) {
    r.work.assign(static_cast<std::size_t>(lwork), 0);
    r.iwork.assign(static_cast<std::size_t>(liwork), 0);
    r.iwork[static_cast<std::size_t>(limit_at)] = static_cast<int>(most_steps(q.n));
    piece s{t, t1, rtol, q.atol(rtol), q.first_step(q.self, t, e.y.data(), rtol, 3)};
    code(s, e.y.data());
    count(r.iwork, s.outcome, e);
    return s.outcome >= 0;
  });
  return e;
}

/// RADAU5, or RADAU of orders 5, 9 and 13. A copy of the latter takes a place for messages as well.
ending run_radau(radau_function* code, const plain& q, double rtol, room& r) {
  const int n = q.n, lwork = 8 * n * n + 24 * n + 20, liwork = 5 * n + 20;
  char message[1024];
  return run(q, rtol, r, lwork, liwork, 1, [&](piece& s, double* y) {
    code(&n, field, &s.t, y, &s.t1, &s.h, &s.relative, &s.absolute, &zero, jacobian, &one, &n, &n,
         nothing, &zero, &n, &n, nothing, &zero, r.work.data(), &lwork, r.iwork.data(), &liwork,
         &s.none, &s.unused, &s.outcome, message, sizeof message);
  });
}

ending run_rodas(rodas_function* code, const plain& q, double rtol, room& r) {
  const int n = q.n, lwork = 2 * n * n + 14 * n + 20, liwork = n + 20,
            driven = q.autonomous ? 0 : 1;
  return run(q, rtol, r, lwork, liwork, 0, [&](piece& s, double* y) {
    code(&n, field, &driven, &s.t, y, &s.t1, &s.h, &s.relative, &s.absolute, &zero, jacobian, &one,
         &n, &n, time_derivative, &one, nothing, &zero, &n, &n, nothing, &zero, r.work.data(),
         &lwork, r.iwork.data(), &liwork, &s.none, &s.unused, &s.outcome);
  });
}

/// With its default of twelve columns.
ending run_seulex(seulex_function* code, const plain& q, double rtol, room& r) {
  const int n = q.n, columns = 12, lwork = n * (2 * n + columns + 8) + 4 * columns + 21,
            liwork = 2 * n + columns + 21, driven = q.autonomous ? 0 : 1;
  int lower = n, upper = n, lower_mass = n, upper_mass = n;  // it writes to them
  return run(q, rtol, r, lwork, liwork, 1, [&](piece& s, double* y) {
    code(&n, field, &driven, &s.t, y, &s.t1, &s.h, &s.relative, &s.absolute, &zero, jacobian, &one,
         &lower, &upper, nothing, &zero, &lower_mass, &upper_mass, nothing, &zero, r.work.data(),
         &lwork, r.iwork.data(), &liwork, &s.none, &s.unused, &s.outcome);
  });
}

/// The first of `wanted` that lies in the folder whole; empty when none does.
std::vector<fs::path> sources(const fs::path& folder,
                              const std::vector<std::vector<const char*>>& wanted) {
  for (const auto& names : wanted) {
    std::vector<fs::path> found;
    for (const char* name : names)
      if (fs::exists(folder / name)) found.push_back(folder / name);
    if (found.size() == names.size()) return found;
  }
  return {};
}

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += "'\\'";
    out += c;
  }
  out += '\'';
  return out;
}

/// Compiles and opens them, with the optimisation of this program; nullptr when that fails.
void* compiled(const std::vector<fs::path>& files, const fs::path& folder, const char* symbol) {
  if (files.empty()) return nullptr;
  const fs::path library = folder / (std::string(symbol) + ".so");
  std::string line = "gfortran -O3 " REVODE_WPD_TARGET " -w -std=legacy -shared -fPIC -o ";
  line += quoted(library.string());
  for (const auto& file : files) line += " " + quoted(file.string());
  if (std::system((line + " 2>/dev/null").c_str()) != 0) return nullptr;
  void* opened = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  return opened == nullptr ? nullptr : dlsym(opened, symbol);
}

}  // namespace

std::string add_hairer(contest& c, const std::string& folder) {
  if (folder.empty()) return "";
  if (std::system("gfortran --version >/dev/null 2>&1") != 0)
    return "no gfortran for Hairer's codes";
  char place[] = "/tmp/revode-wpd-XXXXXX";
  if (mkdtemp(place) == nullptr) return "no temporary folder for Hairer's codes";
  auto* radau5 = reinterpret_cast<radau_function*>(
      compiled(sources(folder, {{"radau5.f", "decsol.f", "dc_decsol.f"}, {"radau_decsol.f"}}),
               place, "radau5_"));
  auto* radau = reinterpret_cast<radau_function*>(
      compiled(sources(folder, {{"radau.f", "decsol.f", "dc_decsol.f"}}), place, "radau_"));
  auto* rodas = reinterpret_cast<rodas_function*>(
      compiled(sources(folder, {{"rodas.f", "decsol.f", "dc_decsol.f"}, {"rodas_decsol.f"}}), place,
               "rodas_"));
  auto* seulex = reinterpret_cast<seulex_function*>(
      compiled(sources(folder, {{"seulex.f", "decsol.f", "dc_decsol.f"}}), place, "seulex_"));
  fs::remove_all(place);  // what is open stays
  const auto shared = std::make_shared<std::vector<plain>>(plain_problems(c));
  const auto work = std::make_shared<room>();
  for (const plain& q : *shared) {
    const auto add = [&](const char* name, auto* code, auto* run) {
      if (code == nullptr) return;
      c.add(q.name, name, true, [=, &q](double rtol) {
        static_cast<void>(shared);
        return run(code, q, rtol, *work);
      });
    };
    add("RADAU5", radau5, run_radau);
    add("RADAU", radau, run_radau);
    add("RODAS", rodas, run_rodas);
    add("SEULEX", seulex, run_seulex);
  }
  return std::string("Hairer's ") + (radau5 ? "RADAU5 " : "(no RADAU5) ") +
         (radau ? "RADAU " : "(no RADAU) ") + (rodas ? "RODAS " : "(no RODAS) ") +
         (seulex ? "SEULEX" : "(no SEULEX)");
}

}  // namespace revode::wpd
