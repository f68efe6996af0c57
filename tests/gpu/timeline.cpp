// A library that records when a GPU copied and when it ran kernels, for any program:
//
//   CUDA_INJECTION64_PATH=libtimeline.so TIMELINE=FILE PROGRAM
//
// When the program ends, FILE has a line for each copy, fill and kernel (at most 20,000), and the standard error stream
// a line for each burst of them: how much of it the link and the kernels were busy, and how much of it both were.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include <cupti.h>

namespace {

struct Span {
  std::uint64_t begin, end;  // ns
};
struct Activity {
  Span span;
  std::uint32_t stream;
  std::uint64_t bytes;
  std::string what;
  bool is_kernel;
};

std::mutex mutex;
std::vector<Activity> activities;

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, buffer_bytes));
  *size = *buffer ? buffer_bytes : 0;
  *most = 0;
}

char const* direction(std::uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
      return "copy to the device";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
      return "copy to the host";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
      return "copy on the device";
    default:
      return "copy";
  }
}

void note(CUpti_Activity const* record) {
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      auto const& copy = *reinterpret_cast<CUpti_ActivityMemcpy6 const*>(record);
      activities.push_back({{copy.start, copy.end}, copy.streamId, copy.bytes, direction(copy.copyKind), false});
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      auto const& fill = *reinterpret_cast<CUpti_ActivityMemset4 const*>(record);
      activities.push_back({{fill.start, fill.end}, fill.streamId, fill.bytes, "fill", true});
      break;
    }
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
      auto const& kernel = *reinterpret_cast<CUpti_ActivityKernel10 const*>(record);
      activities.push_back(
          {{kernel.start, kernel.end}, kernel.streamId, 0, kernel.name ? kernel.name : "kernel", true});
      break;
    }
    default:
      break;
  }
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  std::lock_guard lock{mutex};
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) note(record);
  std::free(buffer);
}

// As spans that do not touch each other, in order.
std::vector<Span> joined(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(), [](auto const& a, auto const& b) { return a.begin < b.begin; });
  std::vector<Span> result;
  for (auto const& span : spans)
    if (!result.empty() && span.begin <= result.back().end)
      result.back().end = std::max(result.back().end, span.end);
    else
      result.push_back(span);
  return result;
}
double milliseconds(std::vector<Span> const& spans) {
  std::uint64_t total = 0;
  for (auto const& span : spans) total += span.end - span.begin;
  return 1e-6 * static_cast<double>(total);
}
std::vector<Span> both(std::vector<Span> const& a, std::vector<Span> const& b) {
  std::vector<Span> result;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    Span const part{std::max(a[i].begin, b[j].begin), std::min(a[i].end, b[j].end)};
    if (part.begin < part.end) result.push_back(part);
    if (a[i].end < b[j].end)
      ++i;
    else
      ++j;
  }
  return result;
}

void say(std::vector<Activity const*> const& burst, std::uint64_t zero) {
  std::vector<Span> copies, kernels;
  std::uint64_t bytes = 0, end = 0;
  for (auto const* one : burst) {
    end = std::max(end, one->span.end);
    (one->is_kernel ? kernels : copies).push_back(one->span);
    if (!one->is_kernel) bytes += one->bytes;
  }
  auto const begin = burst.front()->span.begin;
  auto const length = 1e-6 * static_cast<double>(end - begin);
  auto const of_copies = joined(std::move(copies)), of_kernels = joined(std::move(kernels));
  std::fprintf(stderr,
               "timeline: from %.3f ms, %.3f ms: %zu activities, %.1f MiB copied in %.3f ms (%.0f %%), kernels %.3f ms "
               "(%.0f %%), both %.3f ms\n",
               1e-6 * static_cast<double>(begin - zero), length, burst.size(), static_cast<double>(bytes) / (1 << 20),
               milliseconds(of_copies), 100 * milliseconds(of_copies) / length, milliseconds(of_kernels),
               100 * milliseconds(of_kernels) / length, milliseconds(both(of_copies, of_kernels)));
}

void write() {
  cuptiActivityFlushAll(1);
  std::lock_guard lock{mutex};
  if (activities.empty()) {
    std::fprintf(stderr, "timeline: nothing was copied and no kernel ran\n");
    return;
  }
  std::sort(activities.begin(), activities.end(),
            [](auto const& a, auto const& b) { return a.span.begin < b.span.begin; });
  auto const zero = activities.front().span.begin;
  if (char const* const path = std::getenv("TIMELINE"))
    if (auto* const file = std::fopen(path, "w")) {
      std::fprintf(file, "begin_us,length_us,stream,bytes,what\n");
      for (std::size_t i = 0; i < activities.size() && i < 20000; ++i) {
        auto const& one = activities[i];
        std::fprintf(file, "%.3f,%.3f,%u,%llu,%.60s\n", 1e-3 * static_cast<double>(one.span.begin - zero),
                     1e-3 * static_cast<double>(one.span.end - one.span.begin), one.stream,
                     static_cast<unsigned long long>(one.bytes), one.what.c_str());
      }
      std::fclose(file);
    }
  std::vector<Activity const*> burst;
  std::uint64_t end = 0;
  for (auto const& one : activities) {
    if (!burst.empty() && one.span.begin > end + 2'000'000) {  // 2 ms of nothing
      if (burst.size() > 3) say(burst, zero);
      burst.clear();
    }
    burst.push_back(&one);
    end = std::max(end, one.span.end);
  }
  if (burst.size() > 3) say(burst, zero);
}

}  // namespace

/// The driver calls this when it has loaded the library.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  bool good = cuptiActivityRegisterCallbacks(give_buffer, take_buffer) == CUPTI_SUCCESS;
  for (auto const kind :
       {CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL})
    good = good && cuptiActivityEnable(kind) == CUPTI_SUCCESS;
  if (!good) std::fprintf(stderr, "timeline: CUPTI could not be started\n");
  std::atexit(write);
  return 1;
}
