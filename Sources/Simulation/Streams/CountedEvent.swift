import Records

/// What a record of a counting task's input is. The task and its judges read it alike.
enum CountedEvent: Hashable {
    /// Counts in its group, once.
    case item(String, of: String)
    /// A name that nobody has announced: remembered apart, as long as there is room for it.
    case stranger(String)
    /// Cannot be read.
    case undecodable
    /// Can be read, and counts as nothing: it says nothing, or its names are too long.
    case refused
    /// Kills the process that looks into it.
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
