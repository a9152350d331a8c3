// expect-error: write y\[i\], y\.segment\(\.\.\.\) or y\.segment\(\.\.\.\)\.reshaped\(rows, cols\), or record a field
// SPDX-License-Identifier: Apache-2.0
#include <revode/interop/eigen_recording.hpp>

#include <revode/ad/derivatives.hpp>

struct by_pointer {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy.data()[0] = p[0] * y.data()[0];
  }
};

int main() {
  Eigen::VectorXd y = Eigen::VectorXd::Ones(2), g = y;
  revode::derivatives<by_pointer, Eigen::VectorXd, Eigen::VectorXd> of;
  of.vjp(by_pointer{}, 0.0, y, y, y, static_cast<double*>(nullptr), g, g);
}
