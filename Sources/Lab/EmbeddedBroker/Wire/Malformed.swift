/// A request violates the protocol. The broker closes the connection, as Kafka does.
struct Malformed: Error {}
