// SPDX-License-Identifier: Apache-2.0
// prints: vjp: recording of arrays, jvp: duals
// prints: step 300: loss [0-9.]+e-[01][0-9]
// prints: couplings found to 0\.00[0-9]+
#include <cassert>
#include <cstdio>
#include <string>

#include <revode/interop/eigen_recording.hpp>

#include <revode/ad/derivatives_of.hpp>
#include <revode/nn/optimisers.hpp>
#include <revode/revode.hpp>

using namespace revode;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Four units that drive each other: y' = tanh(W y + b) − y, samples as columns, W and b the parameters. Nobody
// writes its derivative: with eigen_recording.hpp its operations are recorded whole, and their pulls are products of matrices.
struct network_of_units {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    const auto n = y.rows();
    const auto w = p.head(n * n).reshaped(n, n);
    const auto b = p.tail(n);
    dy = ((w * y).colwise() + b).array().tanh().matrix() - y;
  }
};

int main() {
  const network_of_units f;
  const MatrixXd couplings{
      {1.2, -2.0, 0.0, 0.5}, {2.0, 1.0, -0.7, 0.0}, {0.0, 0.8, 0.6, -1.5}, {-0.4, 0.0, 1.5, 0.9}};
  VectorXd truth(20);
  truth << couplings.reshaped(), 0.1, -0.2, 0.3, 0.0;
  MatrixXd start(4, 12);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 12; ++j) start(i, j) = std::sin(1.0 + 2.1 * i + 0.7 * j * (i + 1));

  options o{.rtol = 1e-6, .atol = 1e-6};
  for (int k = 1; k <= 15; ++k) o.save.ts.push_back(0.2 * k);
  const auto seen = solve(problem{f, start, 0.0, 3.0, truth}, tsit5{}, o).ys;

  problem q{f, start, 0.0, 3.0, VectorXd(VectorXd::Zero(20))};
  const std::string told = derivatives_of(f, 0.0, q.y0, q.p);
  std::printf("%s\n", told.c_str());
  assert(told.starts_with("vjp: recording of arrays"));
  nn::adam<double> optimiser(q.p.size());
  double loss = 0;
  for (int step = 0; step <= 300; ++step) {
    auto s = solve(q, tsit5{}, o, recursive_checkpoint{.slots = 20});
    cotangents<MatrixXd> w;
    const double scale = 1.0 / static_cast<double>(15 * start.size());
    loss = 0;
    for (std::size_t k = 0; k < seen.size(); ++k) {
      const MatrixXd off = s.ys[k] - seen[k];
      loss += scale * off.squaredNorm();
      w.ys.push_back(2 * scale * off);
    }
    optimiser.step(q.p, s.pullback(w).p, step < 200 ? 0.1 : 0.02);
    if (step % 100 == 0) std::printf("step %3d: loss %.2e\n", step, loss);
  }
  const double off = (q.p - truth).cwiseAbs().maxCoeff();
  std::printf("couplings found to %.4f\n", off);
  assert(loss < 1e-5 && off < 0.01);
}
