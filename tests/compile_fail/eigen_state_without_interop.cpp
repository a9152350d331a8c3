// expect-error: add #include <revode/interop/eigen.hpp>
// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Core>

#include <revode/ad/derivatives.hpp>

struct decay {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    dy = -y;
  }
};

int main() {
  Eigen::VectorXd y = Eigen::VectorXd::Ones(2), out = y;
  revode::derivatives<decay, Eigen::VectorXd, revode::vec<double, 0>> of;
  of.jvp(decay{}, 0.0, y, revode::vec<double, 0>{}, 0.0, y, revode::vec<double, 0>{}, out);
}
