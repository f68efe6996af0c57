// Solves a system of linear equations with Eigen: the cost of another template library.
#include <cstdlib>
#include <iostream>

#include <Eigen/LU>

int main(int count, char**) {
  Eigen::MatrixXd const matrix = Eigen::MatrixXd::Identity(count + 9, count + 9) * 2;
  Eigen::VectorXd const right = Eigen::VectorXd::Ones(count + 9);
  Eigen::VectorXd const solution = matrix.partialPivLu().solve(right);
  std::cout << solution.sum() << '\n';
  return (matrix * solution).isApprox(right) ? EXIT_SUCCESS : EXIT_FAILURE;
}
