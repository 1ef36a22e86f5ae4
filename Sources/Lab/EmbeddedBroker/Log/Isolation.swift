/// The isolation level of a reader, with the values of Kafka's protocol.
enum Isolation: Int8 {
    case readUncommitted = 0
    case readCommitted = 1

    init(reading reader: inout Reader) throws(Malformed) {
        guard let isolation = Isolation(rawValue: try reader.int8()) else { throw Malformed() }
        self = isolation
    }
}
