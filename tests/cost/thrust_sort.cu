// Sorts numbers in device memory with Thrust.
#include <cstdlib>
#include <vector>

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/sort.h>

int main(int count, char**) {
  std::vector<int> numbers(1000);
  for (int i = 0; i < 1000; ++i) numbers[i] = i * 7919 % 1000 + count;
  thrust::device_vector<int> sorted(numbers.begin(), numbers.end());
  thrust::sort(sorted.begin(), sorted.end());
  thrust::copy(sorted.begin(), sorted.end(), numbers.begin());
  return numbers[0] == count ? EXIT_SUCCESS : EXIT_FAILURE;
}
