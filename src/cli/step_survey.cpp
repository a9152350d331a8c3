// SPDX-License-Identifier: Apache-2.0
#include <cli/step_survey.hpp>

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

#include <cli/text.hpp>

namespace revode::cli {
namespace {

constexpr std::size_t most_samples = 64;
constexpr int most_eigenvalues = 64;  // of a matrix that is taken apart whole

/// max |λ|, of those with a negative real part.
double damped_eigenvalue(const initial_value_problem& q, double t, const vector& y) {
  Eigen::MatrixXd j = Eigen::MatrixXd::Zero(y.size(), y.size());
  q.f.jacobian(t, y, q.p, j);
  if (!j.allFinite()) return 0;
  const Eigen::EigenSolver<Eigen::MatrixXd> of(j, false);
  double most = 0;
  for (const auto& lambda : of.eigenvalues())
    if (lambda.real() < 0) most = std::max(most, std::abs(lambda));
  return most;
}

/// The largest, by products with ∂f/∂y.
double power_iteration(const initial_value_problem& q, double t, const vector& y) {
  constexpr int rounds = 30;
  vector v(y.size()), image(y.size());
  for (Eigen::Index i = 0; i < v.size(); ++i) v[i] = (i * 2654435761U >> 7 & 1) != 0 ? 1 : -1;
  const vector still = vector::Zero(q.p.size());
  double size = 0;
  for (int k = 0; k < rounds; ++k) {
    v /= v.norm();
    q.f.jvp(t, y, q.p, 0, v, still, image);
    size = image.norm();
    if (!(size > 0) || !std::isfinite(size)) return 0;
    v = image;
  }
  return size;
}

}  // namespace

step_survey::step_survey(const run_request& r, const initial_value_problem& q)
    : r_(r),
      q_(q),
      times_{q.t0},
      before_(q.y0),
      moves_most_(static_cast<std::size_t>(q.y0.size())) {}

void step_survey::step(double t, const vector& y) {
  Eigen::Index most = 0;
  ((y - before_).array().abs() / (r_.settings.atol + r_.settings.rtol * y.array().abs()))
      .maxCoeff(&most);
  if (y.size() > 0) ++moves_most_[static_cast<std::size_t>(most)];
  const auto count = static_cast<index>(times_.size());
  if (count % stride_ == 0) samples_.push_back({times_.back(), t - times_.back(), before_});
  if (samples_.size() > most_samples) {  // every second stays
    for (std::size_t i = 0; 2 * i + 1 < samples_.size(); ++i) samples_[i] = samples_[2 * i + 1];
    samples_.resize(samples_.size() / 2);
    stride_ *= 2;
  }
  times_.push_back(t);
  before_ = y;
}

double step_survey::middle_stability() const {
  if (q_.f.has_mass()) return 0;  // λ is of y' = f
  std::vector<double> all;
  for (const sample& s : samples_)
    all.push_back(std::abs(s.h) * (s.y.size() <= most_eigenvalues ? damped_eigenvalue(q_, s.t, s.y)
                                                                  : power_iteration(q_, s.t, s.y)));
  if (all.empty()) return 0;
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

std::string step_survey::where() const {
  const std::size_t steps = times_.size() - 1, half = steps / 2;
  std::size_t shortest = 0, longest = 0, from = 0;
  const auto length_of = [&](std::size_t k) { return std::abs(times_[k + 1] - times_[k]); };
  const auto width = [&](std::size_t k) { return std::abs(times_[k + half] - times_[k]); };
  for (std::size_t k = 0; k < steps; ++k) {
    if (length_of(k) < length_of(shortest)) shortest = k;
    if (length_of(k) > length_of(longest)) longest = k;
    if (k + half <= steps && width(k) < width(from)) from = k;
  }
  std::string text = "  " + std::to_string(steps) + " steps, from " +
                     rounded(length_of(shortest), 3) + " (at t = " + rounded(times_[shortest], 6) +
                     ") to " + rounded(length_of(longest), 3) +
                     " (at t = " + rounded(times_[longest], 6) + ")";
  if (half > 4)
    text += "; half of them within t = " + rounded(times_[from], 6) + " … " +
            rounded(times_[from + half], 6) + ", " +
            rounded(100 * width(from) / std::abs(q_.t1 - q_.t0), 3) + " % of the interval";
  return text + "\n";
}

std::string step_survey::mover() const {
  const auto most = std::max_element(moves_most_.begin(), moves_most_.end());
  if (moves_most_.size() < 2) return "";
  const double share = static_cast<double>(*most) / static_cast<double>(times_.size() - 1);
  return "  " + r_.problem.labels[static_cast<std::size_t>(most - moves_most_.begin())] +
         " moves most, in tolerances, in " + rounded(100 * share, 3) + " % of them\n";
}

std::string step_survey::advice(const solution_type& s, double stability) const {
  const index attempts = s.stats.accepted + s.stats.rejected;
  const bool is_explicit =
      !r_.method.asks_jacobian && r_.method.name.substr(0, 2) != "rk" && r_.method.name != "rock4";
  if (r_.settings.fixed_step > 0) return "--fixed-step gives them";
  if (is_explicit && stability > 2)
    return "stability limits the steps, the problem is stiff there: try --method rodas5p";
  if (5 * s.stats.rejected > 2 * attempts)
    return "attempts are often rejected, as where a field jumps or an event comes at once: tell "
           "such times "
           "as discontinuities or events of the problem";
  if (s.status == status::step_underflow || s.status == status::non_finite_state ||
      s.status == status::non_finite_field)
    return "the solution may end at a singularity near t = " + rounded(s.t, 8);
  if (r_.method.order < 6 && r_.settings.rtol < 1e-7 && is_explicit)
    return "accuracy limits the steps: a method of higher order, vern7 or dop853, takes fewer";
  return "accuracy limits the steps";
}

std::string step_survey::text(const solution_type& s) const {
  if (times_.size() < 2) return "why: no step was accepted\n";
  const double stability = middle_stability();
  std::string text = "why these steps\n" + where() + "  " + std::to_string(s.stats.rejected) +
                     " of " + std::to_string(s.stats.accepted + s.stats.rejected) +
                     " attempts rejected";
  if (r_.has_events()) text += "; " + std::to_string(s.events.size()) + " ended by events";
  text += "\n" + mover();
  if (stability > 0)
    text += "  h |λ| = " + rounded(stability, 3) + " in the median of " +
            std::to_string(samples_.size()) + " of them, by the fastest decay of ∂f/∂y\n";
  return text + "  so: " + advice(s, stability) + "\n";
}

}  // namespace revode::cli
