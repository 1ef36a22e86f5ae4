/// A request that does not follow the protocol. Its connection is closed, as Kafka does.
struct Malformed: Error {}
