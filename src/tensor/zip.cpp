#include "tensor/zip.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <zlib.h>

#include "base/error.h"
#include "base/text.h"

namespace braid {
namespace {

constexpr std::uint32_t kLocalHeader = 0x04034b50;
constexpr std::uint32_t kCentralHeader = 0x02014b50;
constexpr std::uint32_t kEnd = 0x06054b50;
constexpr std::uint32_t kEnd64 = 0x06064b50;
constexpr std::uint32_t kEnd64Locator = 0x07064b50;
constexpr std::uint32_t kSizeIn64 = 0xffffffff;
/// Deflate cannot expand a byte into more than this.
constexpr std::uint64_t kMostInflation = 1032;

std::uint32_t checksum(std::uint32_t crc, std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

/// Little-endian fields of a record, with every read checked.
class Fields {
 public:
  Fields(std::span<const std::byte> bytes, std::uint64_t at, const std::string& archive)
      : bytes_(bytes), at_(at), archive_(archive) {}

  template <class T>
  T take() {
    T x{};
    std::memcpy(&x, take_bytes(sizeof(T)).data(), sizeof(T));
    return x;
  }
  std::span<const std::byte> take_bytes(std::uint64_t count) {
    if (at_ > bytes_.size() || count > bytes_.size() - at_)
      raise(ErrorKind::Model, fmt::format("{} is cut off or not a zip archive", quote(archive_)));
    const auto taken = bytes_.subspan(at_, count);
    at_ += count;
    return taken;
  }
  void skip(std::uint64_t count) { take_bytes(count); }
  std::uint64_t at() const { return at_; }

 private:
  std::span<const std::byte> bytes_;
  std::uint64_t at_;
  const std::string& archive_;
};

struct Directory {
  std::uint64_t offset = 0;
  std::uint64_t entries = 0;
};

struct Entry {
  std::string name;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint32_t crc = 0;
  std::uint64_t packed = 0;
  std::uint64_t size = 0;
  std::uint64_t local_header = 0;
};

class Reader {
 public:
  Reader(const std::shared_ptr<const MappedFile>& file, const std::string& name,
         std::int64_t most_bytes)
      : file_(file),
        bytes_(file->bytes()),
        name_(name),
        room_(static_cast<std::uint64_t>(most_bytes)),
        unread_(bytes_.size()) {}

  std::vector<ZipMember> run() {
    const Directory directory = find_directory();
    std::vector<ZipMember> members;
    Fields fields(bytes_, directory.offset, name_);
    for (std::uint64_t i = 0; i < directory.entries; ++i)
      members.push_back(contents(entry(fields)));
    return members;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    raise(ErrorKind::Model, fmt::format("{}: {}", quote(name_), what));
  }

  /// The end record is the last thing in the file but for a comment of at most 64 KiB.
  Directory find_directory() const {
    constexpr std::uint64_t size = 22;
    if (bytes_.size() < size) fail("too short for a zip archive");
    const std::uint64_t last = bytes_.size() - size;
    for (std::uint64_t at = last; at + 0x10000 > last; --at) {
      Fields fields(bytes_, at, name_);
      if (fields.take<std::uint32_t>() == kEnd) {
        fields.skip(6);
        Directory directory;
        directory.entries = fields.take<std::uint16_t>();
        fields.skip(4);
        directory.offset = fields.take<std::uint32_t>();
        if (directory.offset == kSizeIn64 || directory.entries == 0xffff)
          return find_directory64(at);
        return directory;
      }
      if (at == 0) break;
    }
    fail("not a zip archive (no end record)");
  }

  Directory find_directory64(std::uint64_t end) const {
    if (end < 20) fail("the 64-bit end record is missing");
    Fields locator(bytes_, end - 20, name_);
    if (locator.take<std::uint32_t>() != kEnd64Locator) fail("the 64-bit end record is missing");
    locator.skip(4);
    Fields record(bytes_, locator.take<std::uint64_t>(), name_);
    if (record.take<std::uint32_t>() != kEnd64) fail("the 64-bit end record is missing");
    record.skip(28);
    Directory directory;
    directory.entries = record.take<std::uint64_t>();
    record.skip(8);
    directory.offset = record.take<std::uint64_t>();
    return directory;
  }

  Entry entry(Fields& fields) const {
    if (fields.take<std::uint32_t>() != kCentralHeader) fail("the archive's directory is damaged");
    Entry entry;
    fields.skip(4);
    entry.flags = fields.take<std::uint16_t>();
    entry.method = fields.take<std::uint16_t>();
    fields.skip(4);
    entry.crc = fields.take<std::uint32_t>();
    entry.packed = fields.take<std::uint32_t>();
    entry.size = fields.take<std::uint32_t>();
    const auto name_length = fields.take<std::uint16_t>();
    const auto extra_length = fields.take<std::uint16_t>();
    const auto comment_length = fields.take<std::uint16_t>();
    fields.skip(8);
    entry.local_header = fields.take<std::uint32_t>();
    const auto name_bytes = fields.take_bytes(name_length);
    entry.name.assign(reinterpret_cast<const char*>(name_bytes.data()), name_bytes.size());
    read_sizes64(fields.take_bytes(extra_length), entry);
    fields.skip(comment_length);
    return entry;
  }

  void read_sizes64(std::span<const std::byte> extra, Entry& entry) const {
    Fields fields(extra, 0, name_);
    while (fields.at() + 4 <= extra.size()) {
      const auto id = fields.take<std::uint16_t>();
      const auto field = fields.take_bytes(fields.take<std::uint16_t>());
      if (id != 1) continue;
      Fields sizes(field, 0, name_);
      for (std::uint64_t* wide : {&entry.size, &entry.packed, &entry.local_header})
        if (*wide == kSizeIn64) *wide = sizes.take<std::uint64_t>();
    }
  }

  ZipMember contents(const Entry& entry) {
    if ((entry.flags & 1) != 0) fail(fmt::format("member {} is encrypted", quote(entry.name)));
    Fields local(bytes_, entry.local_header, name_);
    if (local.take<std::uint32_t>() != kLocalHeader)
      fail(fmt::format("member {} is damaged", quote(entry.name)));
    local.skip(22);
    const auto name_length = local.take<std::uint16_t>();
    const auto extra_length = local.take<std::uint16_t>();
    local.skip(std::uint64_t{name_length} + extra_length);
    const auto packed = local.take_bytes(entry.packed);
    // Members that share bytes would let a small file ask for any amount of work.
    if (packed.size() > unread_)
      fail(fmt::format("member {} overlaps with others", quote(entry.name)));
    unread_ -= packed.size();
    ZipMember member{entry.name, packed, file_};
    if (entry.method == 8)
      inflate_member(entry, packed, member);
    else if (entry.method != 0)
      fail(fmt::format("member {} uses compression method {}, expected stored or deflated",
                       quote(entry.name), entry.method));
    if (member.bytes.size() != entry.size || checksum(0, member.bytes) != entry.crc)
      fail(fmt::format("member {} is damaged (its checksum differs)", quote(entry.name)));
    return member;
  }

  void inflate_member(const Entry& entry, std::span<const std::byte> packed, ZipMember& member) {
    if (entry.size / kMostInflation > packed.size())
      fail(fmt::format("member {} claims {} bytes from {}", quote(entry.name), entry.size,
                       packed.size()));
    if (entry.size > room_)
      raise(ErrorKind::Quota, fmt::format("{}: member {} inflates to {} bytes, more than the {} "
                                          "that are left (quota 'memory_bytes')",
                                          quote(name_), quote(entry.name), entry.size, room_));
    room_ -= entry.size;
    auto out = std::make_shared<std::vector<std::byte>>(entry.size);
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
      raise(ErrorKind::Quota, "no memory to inflate an archive");
    std::uint64_t in_at = 0;
    std::uint64_t out_at = 0;
    int state = Z_OK;
    // zlib counts in 32 bits, so long members go in pieces.
    while (state == Z_OK) {
      constexpr std::uint64_t piece = 1U << 30;
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data() + in_at));
      stream.avail_in = static_cast<uInt>(std::min(piece, packed.size() - in_at));
      stream.next_out = reinterpret_cast<Bytef*>(out->data() + out_at);
      stream.avail_out = static_cast<uInt>(std::min(piece, entry.size - out_at));
      const uInt in_before = stream.avail_in;
      const uInt out_before = stream.avail_out;
      state = inflate(&stream, Z_NO_FLUSH);
      in_at += in_before - stream.avail_in;
      out_at += out_before - stream.avail_out;
    }
    inflateEnd(&stream);
    if (state != Z_STREAM_END || out_at != entry.size)
      fail(fmt::format("member {} is damaged", quote(entry.name)));
    member.bytes = *out;
    member.owner = std::move(out);
  }

  const std::shared_ptr<const MappedFile>& file_;
  std::span<const std::byte> bytes_;
  const std::string& name_;
  std::uint64_t room_;    ///< bytes that may still be inflated
  std::uint64_t unread_;  ///< bytes of the file that no member has claimed
};

class Record {
 public:
  template <class T>
  Record& put(T x) {
    bytes_.append(reinterpret_cast<const char*>(&x), sizeof(T));
    return *this;
  }
  Record& put(const std::string& text) {
    bytes_ += text;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

std::uint32_t clipped(std::uint64_t size) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(size, kSizeIn64));
}

}  // namespace

std::vector<ZipMember> read_zip(const std::shared_ptr<const MappedFile>& file,
                                const std::string& name, std::int64_t most_bytes) {
  return Reader(file, name, most_bytes).run();
}

void ZipWriter::put(const std::string& bytes) {
  out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  written_ += bytes.size();
}

void ZipWriter::add(const std::string& name, std::span<const std::span<const std::byte>> pieces) {
  Entry entry{name, 0, 0, written_};
  for (const auto piece : pieces) {
    entry.crc = checksum(entry.crc, piece);
    entry.size += piece.size();
  }
  // Method 0 (stored), date 1980-01-01; the 64-bit sizes are always there, as NumPy writes them.
  Record header;
  header.put(kLocalHeader).put<std::uint16_t>(45).put<std::uint16_t>(0x800).put<std::uint16_t>(0);
  header.put<std::uint16_t>(0).put<std::uint16_t>(0x21).put(entry.crc).put(kSizeIn64).put(
      kSizeIn64);
  header.put(static_cast<std::uint16_t>(name.size())).put<std::uint16_t>(20).put(name);
  header.put<std::uint16_t>(1).put<std::uint16_t>(16).put(entry.size).put(entry.size);
  put(header.bytes());
  for (const auto piece : pieces) {
    out_.write(reinterpret_cast<const char*>(piece.data()),
               static_cast<std::streamsize>(piece.size()));
    written_ += piece.size();
  }
  entries_.push_back(std::move(entry));
}

void ZipWriter::finish() {
  const std::uint64_t directory = written_;
  for (const Entry& entry : entries_) {
    Record extra;
    if (entry.size >= kSizeIn64) extra.put(entry.size).put(entry.size);
    if (entry.offset >= kSizeIn64) extra.put(entry.offset);
    const auto extra_size =
        static_cast<std::uint16_t>(extra.bytes().empty() ? 0 : extra.bytes().size() + 4);
    Record header;
    header.put(kCentralHeader)
        .put<std::uint16_t>(45)
        .put<std::uint16_t>(45)
        .put<std::uint16_t>(0x800);
    header.put<std::uint16_t>(0).put<std::uint16_t>(0).put<std::uint16_t>(0x21).put(entry.crc);
    header.put(clipped(entry.size))
        .put(clipped(entry.size))
        .put(static_cast<std::uint16_t>(entry.name.size()));
    header.put(extra_size)
        .put<std::uint16_t>(0)
        .put<std::uint16_t>(0)
        .put<std::uint16_t>(0)
        .put<std::uint32_t>(0);
    header.put(clipped(entry.offset)).put(entry.name);
    if (extra_size > 0)
      header.put<std::uint16_t>(1)
          .put(static_cast<std::uint16_t>(extra_size - 4))
          .put(extra.bytes());
    put(header.bytes());
  }
  const std::uint64_t size = written_ - directory;
  const std::uint64_t end64 = written_;
  Record end;
  end.put(kEnd64)
      .put<std::uint64_t>(44)
      .put<std::uint16_t>(45)
      .put<std::uint16_t>(45)
      .put<std::uint32_t>(0);
  end.put<std::uint32_t>(0)
      .put<std::uint64_t>(entries_.size())
      .put<std::uint64_t>(entries_.size())
      .put(size);
  end.put(directory).put(kEnd64Locator).put<std::uint32_t>(0).put(end64).put<std::uint32_t>(1);
  const auto count = static_cast<std::uint16_t>(std::min<std::size_t>(entries_.size(), 0xffff));
  end.put(kEnd).put<std::uint16_t>(0).put<std::uint16_t>(0).put(count).put(count).put(
      clipped(size));
  end.put(clipped(directory)).put<std::uint16_t>(0);
  put(end.bytes());
}

}  // namespace braid
