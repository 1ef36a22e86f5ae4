package import Records

/// The names of the members of a record in JSON that its schema does not have. The values are not kept.
///
/// A publisher may have taken a name from a user's data. A name is therefore told only if it looks like a name:
/// it begins with a letter and is too short for the id of a device.
package struct UnknownFields: Hashable, Sendable {
    /// The header of an outcome that tells them.
    package static let header = "outcome.unknown_fields"
    /// The most names that are told.
    package static let namesLimit = 8
    /// The most bytes of a name that is told. The shortest id of a device that begins with a letter, a digest
    /// in hexadecimal digits, has 32.
    package static let nameBytesLimit = 30

    /// The names that are told, in the order of the record, each once.
    package private(set) var names: [String] = []
    /// The number of members beyond those.
    package private(set) var untold = 0

    init() {}

    /// Finds them in a record; nil if there are none, or the record is no object in JSON. Without any in its
    /// value, a record has those that the header of a worker before this one tells.
    ///
    /// - Parameter bytesLimit: the most bytes that the value may have.
    package init?(
        of record: borrowing InboundRecord,
        in fields: SchemaFields,
        bytesLimit: Int = RecordPayload.bytesLimit
    ) {
        if let payload = try? RecordPayload(of: record, bytesLimit: bytesLimit),
            let found = MemberNames(of: payload, in: fields)?.unknown, !found.isEmpty
        {
            self = found
        } else if !record.headers.isEmpty, let told = record.header(Self.header) {
            self.init(told: told)
        } else {
            return nil
        }
    }

    /// Reads the value of a header; nil if it is none that a worker writes.
    private init?(told value: [UInt8]) {
        let parts = value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard value.count <= Self.headerBytesLimit, parts.count <= Self.namesLimit + 1 else { return nil }
        for (index, part) in parts.enumerated() {
            if part.first == UInt8(ascii: "+"), index == parts.count - 1 {
                guard let count = part.dropFirst().decimal(as: Int32.self) else { return nil }
                self.untold = Int(count)
            } else {
                guard Self.isTold(part), self.names.count < Self.namesLimit else { return nil }
                self.names.append(String(decoding: part, as: UTF8.self))
            }
        }
    }

    private static let headerBytesLimit = Self.namesLimit * (Self.nameBytesLimit + 1) + 11

    var isEmpty: Bool { self.names.isEmpty && self.untold == 0 }

    /// Adds a name, without its escapes.
    mutating func add(_ name: ArraySlice<UInt8>) {
        guard self.names.count < Self.namesLimit, Self.isTold(name) else {
            self.untold += 1
            return
        }
        let text = String(decoding: name, as: UTF8.self)
        if !self.names.contains(text) { self.names.append(text) }
    }

    /// Returns whether a name is told: 1 to 30 letters, digits, underscores, hyphens and full stops, of which
    /// the first is a letter or an underscore.
    static func isTold(_ name: ArraySlice<UInt8>) -> Bool {
        guard let first = name.first, name.count <= self.nameBytesLimit else { return false }
        return (first.isAlphanumeric && !first.isDigit || first == UInt8(ascii: "_"))
            && name.allSatisfy { $0.isAlphanumeric || self.marks.contains($0) }
    }

    private static let marks = Array("_-.".utf8)

    /// The header of the outcome: the names with commas between them, and at last a plus sign with the number
    /// of members that it does not name, such as `deviceID,os,+2`.
    package var recordHeader: RecordHeader {
        let rest = self.untold == 0 ? [] : ["+\(Int32(clamping: self.untold))"]
        return RecordHeader(Self.header, (self.names + rest).joined(separator: ","))
    }
}
