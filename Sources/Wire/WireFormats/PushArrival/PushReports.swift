/// The reports of a device, as it posts them to an HTTP edge: one JSON object, a list of objects, or one object
/// on each line. Each object becomes a record of `push-arrival`.
///
/// Everybody who has the app can post anything. Two fields of an event are only a server's to say, so they are
/// kept from devices: the type `sent`, which makes a message count before a second device tells of it, and
/// `serverMs`, the time at which our edge received the event.
package struct PushReports: Sendable {
    /// The value and the key of one record.
    package struct Report: Hashable, Sendable {
        /// The device of the report; nil if the report names it in its payload or not at all, or at too great
        /// a length for a key.
        package var deviceID: String?
        /// The JSON object as it was posted, with null in place of a time that only the server may state.
        package var value: [UInt8]
    }

    /// The reason why none of the reports is taken.
    package enum Fault: Error, Hashable, Sendable {
        /// The body is not JSON of this form.
        case malformed
        /// The body has more reports than allowed.
        case tooMany
        /// A report is of a type that this edge does not take, or of none.
        case type
    }

    /// The reports in their order.
    package let all: [Report]

    private static let deviceLengthLimit = 256

    /// Reads a body.
    ///
    /// - Parameters:
    ///   - types: the types of events that are taken.
    ///   - limit: the largest number of reports.
    package init(_ body: [UInt8], types: Set<PushEvent.Kind>, limit: Int) throws(Fault) {
        var reports: [Report] = []
        func take(_ document: JSONOutline, _ value: Int) throws(Fault) {
            guard reports.count < limit else { throw .tooMany }
            reports.append(try Self.report(document, value, types: types))
        }
        if let document = JSONOutline(body) {
            guard document.kind(document.root) == .array else {
                try take(document, document.root)
                self.all = reports
                return
            }
            let end = document.index(after: document.root)
            var value = document.root + 1
            while value < end {
                try take(document, value)
                value = document.index(after: value)
            }
        } else {
            for line in body.split(separator: UInt8(ascii: "\n")) {
                guard line.contains(where: { !$0.isJSONWhiteSpace }) else { continue }
                guard let document = JSONOutline(Array(line)) else { throw .malformed }
                try take(document, document.root)
            }
        }
        guard !reports.isEmpty else { throw .malformed }
        self.all = reports
    }

    private static func report(
        _ document: JSONOutline,
        _ object: Int,
        types: Set<PushEvent.Kind>
    ) throws(Fault) -> Report {
        guard document.kind(object) == .object else { throw .malformed }
        var hasType = false
        var deviceID: String?
        var value: [UInt8] = []
        var position = document.range(object).lowerBound
        // A name may occur twice. Readers take the last value, and here each of them has to be allowed.
        try document.members(of: object) { name, member throws(Fault) in
            if document.isNamed(name, "type") {
                let kind = document.string(member).flatMap { PushEvent.Kind(exactly: $0) }
                guard let kind, types.contains(kind) else { throw .type }
                hasType = true
            } else if document.isNamed(name, "deviceId") || document.isNamed(name, "device_id") {
                deviceID = document.string(member)
            } else if document.isNamed(name, "serverMs") || document.isNamed(name, "server_ms") {
                let range = document.wholeRange(member)
                value += document.text[position..<range.lowerBound] + "null".utf8
                position = range.upperBound
            }
        }
        guard hasType else { throw .type }
        value += document.text[position..<document.range(object).upperBound]
        let isKey = deviceID.map { (1...Self.deviceLengthLimit).contains($0.utf8.count) } ?? false
        return Report(deviceID: isKey ? deviceID : nil, value: value)
    }
}
