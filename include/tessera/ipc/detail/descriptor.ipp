#pragma once
#include <tessera/ipc/descriptor.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/data_type.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/object_reader.hpp>
#include <tessera/core/value.hpp>
#include <tessera/ipc/detail/error.hpp>
#include <tessera/ipc/detail/messages.hpp>
#include <tessera/metadata/detail/base64.hpp>
#include <tessera/metadata/detail/element_type.hpp>
#include <tessera/metadata/json.hpp>

namespace tessera { inline namespace v0 { namespace ipc {
namespace detail {

inline constexpr std::string_view format = "tessera-ipc";
inline constexpr std::int64_t major_version = 1, minor_version = 0;

inline Value octets_value(std::vector<std::byte> const& octets, Octets how) {
  if (how == Octets::base64) return tessera::detail::encode_base64(octets);
  List list;
  for (auto octet : octets) list.push_back(Value::integer(std::to_integer<int>(octet)));
  return list;
}
inline std::vector<std::byte> read_octets(MemberValue const& found) {
  std::vector<std::byte> octets;
  if (auto const* text = found.value().get_if<std::string>()) {
    auto decoded = text->size() <= 2 * most_octets ? tessera::detail::decode_base64(*text) : std::nullopt;
    if (decoded) octets = *std::move(decoded);
    if (!decoded || octets.size() > most_octets) found.refuse("at most 256 octets, in base64 or as a list");
    return octets;
  }
  if (found.list().size() > most_octets) found.refuse("at most 256 octets, in base64 or as a list");
  for (std::size_t i = 0; i < found.list().size(); ++i)
    octets.push_back(static_cast<std::byte>(found.item(i).integer<std::uint64_t>(0, 255)));
  return octets;
}

inline Value identity_value(Identity const& who) {
  return Members{
      {"host", who.host}, {"process", Value::integer(who.process)}, {"start", who.start}, {"session", who.session}};
}
inline Identity read_identity(ObjectReader reader, bool is_newer) {
  auto const session = reader.at("session");
  auto const& digits = session.string();
  if (digits.size() != 32 || digits.find_first_not_of("0123456789abcdef") != digits.npos)
    session.refuse("32 hexadecimal digits");
  Identity who{reader.at("host").string(),
               reader.at("process").integer<std::int64_t>(1, std::numeric_limits<std::int32_t>::max()),
               reader.at("start").integer<std::uint64_t>(), digits};
  if (!is_newer) reader.finish();
  return who;
}

inline Value memory_value(Memory const& memory, Octets how) {
  Members members{{"kind", memory.kind}, {"allocation", memory.number}, {"size", memory.size}};
  if (!memory.device.empty()) members.push_back({"device", memory.device});
  if (!memory.handle.empty()) members.push_back({"handle", octets_value(memory.handle, how)});
  if (!memory.event.empty()) members.push_back({"event", octets_value(memory.event, how)});
  if (memory.kind == "cuda-pool") members.push_back({"pool", memory.pool});
  return members;
}
inline Memory read_memory(ObjectReader reader, bool is_newer) {
  Memory memory{reader.at("kind").one_of({"shared-memory", "cuda-ipc", "cuda-pool"})};
  memory.number = reader.at("allocation").integer<std::uint64_t>();
  memory.size = reader.at("size").integer<std::uint64_t>();
  if (auto const device = reader.find("device")) memory.device = device->string();
  if (auto const handle = reader.find("handle")) memory.handle = read_octets(*handle);
  if (auto const event = reader.find("event")) memory.event = read_octets(*event);
  if (memory.kind == "cuda-pool") memory.pool = reader.at("pool").integer<std::uint64_t>();
  if (!is_newer) reader.finish();
  return memory;
}

/// A data type as in `zarr.json`: a name, or an object with name and configuration.
inline Value type_value(DataType type) { return tessera::detail::write_element_type(type, {}, false); }
inline DataType read_type(MemberValue const& found) {
  auto const type = tessera::detail::read_element_type(found).type;
  if (type.varies() || type.kind == DataKind::structure) found.refuse("a data type of a fixed size and without fields");
  return type;
}
/// Throws: IpcError, if descriptors cannot state the element type (a DataType lacks a struct's fields), or if elements
/// only refer to other memory; MetadataError, if Zarr has no such type.
inline void expect_describable(DataType type) {
  if (!type.varies() && type.kind != DataKind::structure) {
    auto const written = type_value(type);
    if (read_type({written, "data_type"}) == type) return;
  }
  throw IpcError{to_text({"elements of ", type.name(), " cannot be shared between processes: descriptors support only ",
                          "types of a fixed size and without fields"})};
}

/// Whether the document has a newer minor version, whose unknown members are ignored. Throws: MetadataError, if the
/// format or the major version differs.
inline bool read_version(ObjectReader& reader) {
  (void)reader.at("format").one_of({format.data()});
  auto const version = reader.at("version");
  if (version.list().size() != 2) version.refuse("a major and a minor version");
  (void)version.item(0).integer<std::int64_t>(major_version, major_version);
  return version.item(1).integer<std::int64_t>(0) > minor_version;
}
inline void add_version(Members& members) {
  members.push_back({"format", format});
  members.push_back({"version", List{Value::integer(major_version), Value::integer(minor_version)}});
}

}  // namespace detail

inline Value to_value(Descriptor const& array, Octets how) {
  List strides;
  for (auto stride : array.strides) strides.push_back(Value::integer(stride));
  Members members;
  detail::add_version(members);
  members.push_back({"producer", detail::identity_value(array.producer)});
  members.push_back({"memory", detail::memory_value(array.memory, how)});
  members.push_back({"data_type", detail::type_value(array.type)});
  members.push_back({"shape", Value{array.shape}});
  members.push_back({"strides", std::move(strides)});
  members.push_back({"offset", Value{array.offset}});
  return members;
}

inline Descriptor read_descriptor(Value const& value) {
  ObjectReader reader{value, ""};
  bool const is_newer = detail::read_version(reader);
  Descriptor array{detail::read_identity(ObjectReader{reader.at("producer")}, is_newer),
                   detail::read_memory(ObjectReader{reader.at("memory")}, is_newer)};
  array.type = detail::read_type(reader.at("data_type"));
  array.shape = reader.at("shape").extents();
  auto const strides = reader.at("strides");
  if (strides.list().size() != array.shape.rank()) strides.refuse("a stride for each dimension");
  for (std::size_t d = 0; d < array.shape.rank(); ++d) array.strides.push_back(strides.item(d).integer());
  array.offset = reader.at("offset").integer<std::uint64_t>();
  if (!is_newer) reader.finish();
  detail::expect_within(array, array.memory.size);
  return array;
}
inline Descriptor parse_descriptor(std::string_view text) { return read_descriptor(parse_json(text)); }
inline std::string to_json(Descriptor const& array, Octets how) {
  return tessera::to_json(to_value(array, how));
}

}}}  // namespace tessera::v0::ipc
