// A folder that appears under its name whole or not at all.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <span>
#include <stop_token>
#include <string>

#include "io/output/place.hpp"
#include "io/output/temporary_file.hpp"

namespace tamis::io {

/// As TemporaryFile, for a store of Zarr: it takes the place of another store or of an empty folder, which stays until
/// then, and goes afterwards. It is hidden and locked while it is written.
class TemporaryFolder final : public UnnamedOutput {
 public:
  explicit TemporaryFolder(const Target& target);
  ~TemporaryFolder() override;

  /// Makes "0" or "0/3", the folder before it being there. Nothing if it is.
  void make_folder(const std::string& name);
  /// A new file "0/3/1" of these bytes. Threads may call it at once.
  void write(const std::string& name, std::span<const std::byte> bytes);
  /// Nothing more is written: flushes to the disk.
  void complete();

  std::string publish(bool keep_old) override;
  [[nodiscard]] bool take_back() noexcept override;
  void forget_old() noexcept override;
  void unlink_hidden() noexcept override;
  [[nodiscard]] const std::string& path() const override { return shown_; }

  /// Throws Cancelled if a stop has been requested, or the folder was given up.
  void check_cancel() const;
  [[noreturn]] void fail_errno(int error) const;

 private:
  void create_hidden();
  [[nodiscard]] bool exchange() noexcept;
  [[nodiscard]] std::string free_name() const;
  void free_reserve() noexcept;

  std::string shown_;
  std::stop_token cancel_;
  OutputSet* together_;
  OutputPlace place_;
  Descriptor folder_;     // the hidden one
  std::string hidden_;    // its name, or after publish() that of the old one; empty: there is none
  // As many as removing a store takes at once, so that nothing is left where the process may open no more.
  std::array<Descriptor, 4> reserve_;
  Descriptor old_;        // holds the lock of the old one
  bool published_ = false;
  bool no_old_ = false;
  std::atomic<bool> given_up_ = false;
};

}  // namespace tamis::io
