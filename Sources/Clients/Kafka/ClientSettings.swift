internal import CRdKafka

/// librdkafka's configuration, built once and given away to the client it configures.
@safe struct ClientSettings: ~Copyable {
    private let conf: OpaquePointer

    /// Sets the properties in the order of their names.
    ///
    /// - Parameter events: the kinds of events that the client shall produce, as librdkafka's
    ///   `RD_KAFKA_EVENT_` bits.
    /// - Throws: a `KafkaError` that names the first property that librdkafka refuses. The error does not
    ///   repeat the property's value, which may be a password.
    init(_ properties: [String: String], events: Int32) throws(KafkaError) {
        unsafe self.conf = rd_kafka_conf_new()
        unsafe rd_kafka_conf_set_events(self.conf, events)
        for (name, value) in properties.sorted(by: { $0.key < $1.key }) {
            let result = unsafe rd_kafka_conf_set(self.conf, name, value, nil, 0)
            guard result == RD_KAFKA_CONF_OK else {
                let problem = result == RD_KAFKA_CONF_UNKNOWN ? "no such property" : "not a valid value"
                throw KafkaError(code: .invalidConfiguration, message: "\(name): \(problem)", isFatal: true)
            }
        }
    }

    /// Returns a property as librdkafka has understood it; nil if it has no such property, or one without a text.
    borrowing func text(of name: String) -> String? {
        var size = 0
        guard unsafe rd_kafka_conf_get(self.conf, name, nil, &size) == RD_KAFKA_CONF_OK else { return nil }
        // The size includes the zero byte at the end.
        var bytes = [CChar](repeating: 0, count: size)
        guard unsafe rd_kafka_conf_get(self.conf, name, &bytes, &size) == RD_KAFKA_CONF_OK else { return nil }
        return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { unsafe rd_kafka_conf_destroy(self.conf) }

    /// Ends this value's ownership. The code that takes the pointer must destroy it or give it to a client.
    consuming func release() -> OpaquePointer {
        let conf = unsafe self.conf
        discard self
        return unsafe conf
    }
}
