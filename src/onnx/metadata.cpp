#include "onnx/metadata.h"

#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "base/error.h"
#include "onnx/wire.h"

namespace braid::onnx {
namespace {

/// What a parsed message or field costs in memory, roughly; a one-byte number of the file takes
/// eight bytes in a list.
constexpr std::int64_t kMessageCost = 160;
constexpr std::int64_t kFieldCost = 48;
constexpr std::int64_t kByteCost = 8;

/// A graph in an attribute is three messages deep: graph, node, attribute.
constexpr std::int64_t kMessagesPerGraph = 3;
constexpr std::int64_t kMessagesBelowGraph = 12;

void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

/// Lengths are written when a message is complete, always in five bytes.
constexpr std::size_t kLengthBytes = 5;
void put_length(std::string& out, std::size_t at) {
  std::uint64_t length = out.size() - at - kLengthBytes;
  for (std::size_t i = 0; i < kLengthBytes; ++i, length >>= 7)
    out[at + i] = static_cast<char>((length & 0x7f) | (i + 1 < kLengthBytes ? 0x80 : 0));
}

class Splitter {
 public:
  Splitter(std::span<const std::byte> file, const Quotas& quotas) : file_(file), quotas_(quotas) {}

  Metadata split(MessageKind kind) && {
    open_.push_back({WireReader(file_, file_), kind, std::nullopt});
    if (kind == MessageKind::Tensor) note_tensor(file_);
    while (!open_.empty()) step();
    return std::move(result_);
  }

 private:
  struct Open {
    WireReader reader;
    MessageKind kind;
    std::optional<std::size_t> length_at;  ///< where its length goes; none for the outermost
    bool has_graph = false;
  };

  void step() {
    const auto field = open_.back().reader.next();
    if (!field) {
      if (const auto at = open_.back().length_at) put_length(result_.bytes, *at);
      open_.pop_back();
      return;
    }
    const FieldRule* rule = find_rule(open_.back().kind, field->number);
    if (rule == nullptr) return;
    if (rule->action == FieldAction::Keep)
      copy(*field);
    else if (field->type == WireType::Bytes)
      open(*field, *rule);
  }

  void copy(const WireField& field) {
    charge(kFieldCost);
    if (field.type == WireType::Bytes)
      charge(static_cast<std::int64_t>(field.whole.size()), kByteCost);
    result_.bytes.append(reinterpret_cast<const char*>(field.whole.data()), field.whole.size());
  }

  void open(const WireField& field, const FieldRule& rule) {
    charge(kMessageCost);
    if (rule.kind == MessageKind::Node) count(nodes_, quotas_.nodes, "nodes");
    if (rule.kind == MessageKind::Graph) check_graph();
    put_varint(result_.bytes, std::uint64_t{field.number} << 3 | 2);
    const std::size_t length_at = result_.bytes.size();
    result_.bytes.append(kLengthBytes, '\0');
    const bool empty = rule.action == FieldAction::Mark;
    open_.push_back(
        {WireReader(empty ? field.bytes.first(0) : field.bytes, file_), rule.kind, length_at});
    if (!empty && rule.kind == MessageKind::Tensor) note_tensor(field.bytes);
  }

  /// Protobuf would merge two graphs into one, which is never meant.
  void check_graph() {
    Open& holder = open_.back();
    if (holder.kind == MessageKind::Model && std::exchange(holder.has_graph, true))
      raise(ErrorKind::Model, "not a valid ONNX file: it has two graphs");
    const std::int64_t depth = static_cast<std::int64_t>(open_.size()) / kMessagesPerGraph;
    if (depth > quotas_.nesting)
      raise(ErrorKind::Quota,
            fmt::format("graphs are nested more than {} deep (quota 'nesting')", quotas_.nesting));
  }

  void note_tensor(std::span<const std::byte> tensor) {
    count(tensors_, quotas_.tensors, "tensors");
    const auto index = static_cast<std::uint32_t>(result_.tensors.size());
    result_.tensors.push_back(tensor);
    put_varint(result_.bytes, std::uint64_t{kRawData} << 3 | 2);
    put_varint(result_.bytes, sizeof index);
    result_.bytes.append(reinterpret_cast<const char*>(&index), sizeof index);
  }

  static void count(std::int64_t& counter, std::int64_t limit, const char* what) {
    if (++counter > limit)
      raise(ErrorKind::Quota,
            fmt::format("the model has more than {} {} (quota '{}')", limit, what, what));
  }

  void charge(std::int64_t count, std::int64_t each = 1) {
    if (count > (quotas_.metadata_bytes - charged_) / each)
      raise(ErrorKind::Quota, fmt::format("the model's metadata needs more than {} bytes (quota "
                                          "'metadata_bytes')",
                                          quotas_.metadata_bytes));
    charged_ += count * each;
  }

  std::span<const std::byte> file_;
  const Quotas& quotas_;
  Metadata result_;
  std::vector<Open> open_;
  std::int64_t charged_ = 0;
  std::int64_t nodes_ = 0;
  std::int64_t tensors_ = 0;
};

}  // namespace

Metadata split(std::span<const std::byte> message, MessageKind kind, const Quotas& quotas) {
  return Splitter(message, quotas).split(kind);
}

void parse(const Metadata& metadata, const Quotas& quotas, google::protobuf::MessageLite& into) {
  if (metadata.bytes.size() > std::numeric_limits<int>::max())
    raise(ErrorKind::Quota, "the model's metadata is larger than protobuf can parse (2 GiB)");
  google::protobuf::io::ArrayInputStream array(metadata.bytes.data(),
                                               static_cast<int>(metadata.bytes.size()));
  google::protobuf::io::CodedInputStream stream(&array);
  stream.SetRecursionLimit(
      static_cast<int>(quotas.nesting * kMessagesPerGraph + kMessagesBelowGraph));
  if (!into.ParsePartialFromCodedStream(&stream) || !stream.ConsumedEntireMessage())
    raise(ErrorKind::Model, "not a valid ONNX file: protobuf cannot parse it");
}

std::size_t tensor_index(const proto::TensorProto& tensor) {
  std::uint32_t index = 0;
  require(tensor.raw_data().size() == sizeof index, "a tensor that no walk has seen");
  std::memcpy(&index, tensor.raw_data().data(), sizeof index);
  return index;
}

}  // namespace braid::onnx
