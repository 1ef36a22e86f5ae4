import Harness
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

    /// The time in the target. Its lowest byte is what the body is XORed with.
    private static let stm: Int64 = 1_700_000_000_987

    /// The eight forms of iOS, and the four of Android that differ from them.
    ///
    /// - Parameter events: The number of events in the upload.
    /// - Throws: `Complaint` if an upload cannot be made.
    package static func all(events: Int) throws -> [UploadBenchmark] {
        let made = PhoneEvents(count: events)
        return try UploadForm.all.map { try UploadBenchmark(made, in: $0, events: events) }
    }

    private init(_ made: PhoneEvents, in form: UploadForm, events: Int) throws {
        let body = form.body(of: made, stm: Self.stm)
        guard !body.isEmpty else { throw Complaint("an upload does not fit") }
        let request = SDKUploadRequest(
            target: "/v3/projects/0a1b2c3d4e5f6789/collect?stm=\(Self.stm)",
            headers: form.headers,
            body: body
        )
        self.name = form.name
        self.decode = { (try? SDKUpload(decoding: request))?.events.count == events }
        let scratch = UploadScratch(room: made.json.count * 2 + 1_024)
        self.floor = { form.floor(body, stm: Self.stm, scratch) > events }
    }
}
