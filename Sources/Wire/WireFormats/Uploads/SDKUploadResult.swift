/// The values of the topic of uploads' outcomes, in JSON: one for each upload, one for each ACTIVATE event that the upload
/// itself keeps from its report, and one for each event that is too large to be passed on. The outcome of an activation
/// that goes on comes later, with its report or its match.
package enum SDKUploadResult {
    /// The numbers of an upload that was taken.
    package struct Counts: Hashable, Sendable {
        /// The events that were taken.
        package var events = 0
        /// The events without a device, a data source or a time, which nobody can use.
        package var dropped = 0
        /// The activations that go on to their report.
        package var activations = 0

        package init() {}
    }

    /// Returns the outcome of an upload.
    ///
    /// - Parameter counts: the numbers; nil if nothing of the upload was taken.
    package static func upload(_ outcome: Outcome, _ counts: Counts?) -> [UInt8] {
        var json = JSONWriter(reserving: 512)
        json.object { json in
            json.object("outcome") { outcome.write(to: &$0) }
            guard let counts else { return }
            json.object("upload") { json in
                json.number("events", Int64(counts.events))
                json.number("dropped", Int64(counts.dropped))
                json.number("activations", Int64(counts.activations))
            }
        }
        return json.text
    }

    /// The most bytes of the name of a type. A phone chooses the name, and the outcome must fit into a record.
    private static let typeBytesLimit = 256

    /// Returns the outcome of an event that is not passed on or not reported.
    ///
    /// - Parameters:
    ///   - id: the id of the event.
    ///   - type: the type of the event.
    package static func event(_ outcome: Outcome, id: String, type: SDKEventType) -> [UInt8] {
        var json = JSONWriter(reserving: 512)
        json.object { json in
            json.object("outcome") { outcome.write(to: &$0) }
            json.object("event") { json in
                json.string("id", id)
                json.string(
                    "eventType",
                    DeadLetterNotice.prefix(of: type.name, bytesLimit: Self.typeBytesLimit)
                )
            }
        }
        return json.text
    }
}
