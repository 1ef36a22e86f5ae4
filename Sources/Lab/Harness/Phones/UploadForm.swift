internal import CUploadFloor

/// A form in which an SDK can send an upload: serialised, compressed and encrypted.
package struct UploadForm: Hashable, Sendable {
    /// The compressions. LZ4 is that of iOS, Snappy that of Android.
    package enum Compression: String, CaseIterable, Hashable, Sendable {
        case none, lz4 = "LZ4", snappy = "Snappy"
    }

    package var isProtobuf: Bool
    package var compression: Compression
    /// Whether each byte is XORed with the lowest byte of `stm`.
    package var isEncrypted: Bool

    package init(isProtobuf: Bool, compression: Compression = .none, isEncrypted: Bool = false) {
        self.isProtobuf = isProtobuf
        self.compression = compression
        self.isEncrypted = isEncrypted
    }

    /// All twelve forms: the eight of iOS, and the four of Android that differ from them.
    package static var all: [UploadForm] {
        [true, false].flatMap { isProtobuf in
            Compression.allCases.flatMap { compression in
                [false, true].map { isEncrypted in
                    UploadForm(isProtobuf: isProtobuf, compression: compression, isEncrypted: isEncrypted)
                }
            }
        }
    }

    /// The name for a person, such as `protobuf, LZ4, XOR`.
    package var name: String {
        (self.isProtobuf ? "protobuf" : "JSON")
            + (self.compression == .none ? "" : ", \(self.compression.rawValue)")
            + (self.isEncrypted ? ", XOR" : "")
    }

    private var codec: Int {
        switch self.compression {
        case .none: Int(FL_UPLOAD_PLAIN)
        case .lz4: Int(FL_UPLOAD_LZ4)
        case .snappy: Int(FL_UPLOAD_SNAPPY)
        }
    }

    /// The headers of the request.
    package var headers: [(name: String, value: String)] {
        [("Content-Type", self.isProtobuf ? "application/protobuf" : "application/json")]
            + (self.compression == .none ? [] : [("X-Compress-Codec", "\(self.codec)")])
            + (self.isEncrypted ? [("X-Crypt-Codec", "1")] : [])
    }

    /// Returns the body of the request; empty if the compression failed.
    ///
    /// - Parameter stm: the time in the request's target, in milliseconds since 1970.
    package func body(of events: PhoneEvents, stm: Int64) -> [UInt8] {
        let bytes = self.isProtobuf ? events.protobuf : events.json
        let factor = self.isEncrypted ? UInt8(truncatingIfNeeded: stm) : 0
        let room = bytes.count * 2 + 1_024
        return unsafe [UInt8](unsafeUninitializedCapacity: room) { output, count in
            count = unsafe fl_upload_pack(
                bytes,
                bytes.count,
                Int32(self.codec),
                factor,
                output.baseAddress,
                room
            )
        }
    }

    /// Undoes a body of this form in C, as the least that a server can do.
    ///
    /// - Returns: the number of fields, or of strings in JSON; 0 if the body is wrong.
    package func floor(_ body: [UInt8], stm: Int64, _ scratch: UploadScratch) -> Int {
        unsafe fl_upload_floor(
            body,
            body.count,
            self.isProtobuf ? 1 : 0,
            Int32(self.codec),
            self.isEncrypted ? UInt8(truncatingIfNeeded: stm) : 0,
            scratch.first,
            scratch.second,
            scratch.room
        )
    }
}

/// Memory that `UploadForm.floor` uses again and again.
@safe package final class UploadScratch {
    let first: UnsafeMutablePointer<UInt8>
    let second: UnsafeMutablePointer<UInt8>
    let room: Int

    /// - Parameter room: the largest body, plain or compressed, in bytes.
    package init(room: Int) {
        self.room = room
        unsafe self.first = .allocate(capacity: room)
        unsafe self.second = .allocate(capacity: room)
    }

    deinit {
        unsafe self.first.deallocate()
        unsafe self.second.deallocate()
    }
}
