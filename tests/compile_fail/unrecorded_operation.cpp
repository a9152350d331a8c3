// expect-error: an operation of Eigen that is not recorded on whole arrays: write it by those that are
// SPDX-License-Identifier: Apache-2.0
#include <revode/interop/eigen_recording.hpp>

#include <revode/ad/derivatives.hpp>

struct by_product {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy = y * p.prod();
  }
};

int main() {
  Eigen::VectorXd y = Eigen::VectorXd::Ones(2), g = y;
  revode::derivatives<by_product, Eigen::VectorXd, Eigen::VectorXd> of;
  of.vjp(by_product{}, 0.0, y, y, y, static_cast<double*>(nullptr), g, g);
}
