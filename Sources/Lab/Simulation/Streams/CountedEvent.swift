import Records

/// The meaning of a record in the input of a counting task. The task and its judges use this same reading of
/// a record.
enum CountedEvent: Hashable {
    /// An item, which counts once in its group.
    case item(String, of: String)
    /// A name that was never announced. The task keeps it in memory as long as there is room for it.
    case stranger(String)
    /// A record that cannot be decoded.
    case undecodable
    /// A record that can be read and does not count, because it is empty or its names are too long.
    case refused
    /// A record that kills the process that handles it.
    case deadly

    private static let nameLimit = 256

    init(_ record: borrowing InboundRecord) {
        let (key, value) = (record.key ?? [], record.value ?? [])
        guard !value.isEmpty, value.count <= Self.nameLimit, key.count <= Self.nameLimit else {
            self = .refused
            return
        }
        let name = String(decoding: value, as: UTF8.self)
        switch name.split(separator: " ").first {
        case "undecodable": self = .undecodable
        case "deadly": self = .deadly
        case "stranger": self = .stranger(name)
        default: self = .item(name, of: String(decoding: key, as: UTF8.self))
        }
    }
}
