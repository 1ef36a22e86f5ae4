import CUploadFloor
import Terminal
import WireFormats

/// The cost of decoding one form of upload, compared with the least that a program in C can do: decompression,
/// XOR, and one walk over the fields.
package struct UploadBenchmark {
    /// The form, such as `protobuf, LZ4, XOR`.
    package let name: String
    /// Decodes the upload as a worker does; false if that failed.
    package let decode: WayTimer.Way
    /// Undoes the upload in C; false if that failed.
    package let floor: WayTimer.Way

    /// The eight forms of iOS, and the four of Android that differ from them.
    ///
    /// - Parameter events: The number of events in the upload.
    /// - Throws: `Complaint` if an upload cannot be made.
    package static func all(events: Int) throws -> [UploadBenchmark] {
        let made = PhoneEvents(count: events)
        var all: [UploadBenchmark] = []
        for isProtobuf in [true, false] {
            for codec in [FL_UPLOAD_PLAIN, FL_UPLOAD_LZ4, FL_UPLOAD_SNAPPY] {
                for factor in [0, 0xDB] as [UInt8] {
                    let bytes = isProtobuf ? made.protobuf : made.json
                    all.append(
                        try UploadBenchmark(
                            bytes,
                            isProtobuf: isProtobuf,
                            codec: Int32(codec),
                            factor: factor,
                            events: events
                        )
                    )
                }
            }
        }
        return all
    }

    private init(
        _ bytes: [UInt8],
        isProtobuf: Bool,
        codec: Int32,
        factor: UInt8,
        events: Int
    ) throws {
        let room = bytes.count * 2 + 1_024
        let body = unsafe [UInt8](unsafeUninitializedCapacity: room) { output, count in
            count = unsafe fl_upload_pack(bytes, bytes.count, codec, factor, output.baseAddress, room)
        }
        guard !body.isEmpty else { throw Complaint("an upload does not fit") }
        var headers = [("content-type", isProtobuf ? "application/protobuf" : "application/json")]
        if codec != 0 { headers.append(("X-Compress-Codec", "\(codec)")) }
        if factor != 0 { headers.append(("X-Crypt-Codec", "1")) }
        let request = SDKUploadRequest(
            target: "/v3/projects/0a1b2c3d4e5f6789/collect?stm=\(1_700_000_000_768 + UInt64(factor))",
            headers: headers,
            body: body
        )
        let compression = codec == 3 ? ", LZ4" : codec == 2 ? ", Snappy" : ""
        self.name = (isProtobuf ? "protobuf" : "JSON") + compression + (factor == 0 ? "" : ", XOR")
        self.decode = { (try? SDKUpload(decoding: request))?.events.count == events }
        let scratch = Scratch(room: room)
        self.floor = {
            let fields = unsafe fl_upload_floor(
                body,
                body.count,
                isProtobuf ? 1 : 0,
                codec,
                factor,
                scratch.first,
                scratch.second,
                room
            )
            return fields > events
        }
    }

    /// Memory that the program in C uses again and again.
    @safe private final class Scratch {
        let first: UnsafeMutablePointer<UInt8>
        let second: UnsafeMutablePointer<UInt8>

        init(room: Int) {
            unsafe self.first = .allocate(capacity: room)
            unsafe self.second = .allocate(capacity: room)
        }

        deinit {
            unsafe self.first.deallocate()
            unsafe self.second.deallocate()
        }
    }
}
