// What compile times are held against: nlohmann's json.hpp and the usual standard headers.
#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <concepts>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>
