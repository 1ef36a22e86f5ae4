extension SettingsReader {
    /// Properties of librdkafka that a program knows nothing of, such as those of TLS and SASL.
    ///
    /// - Parameters:
    ///   - own: names that cannot be among them: what the program promises rests on what it sets there.
    ///   - owner: whose those are, as in "belongs to the worker".
    /// - Returns: of a name that is there twice, the last value.
    package func kafkaProperties(except own: Set<String>, of owner: String) -> [String: Secret] {
        let pairs = self.each(
            "properties",
            help:
                "Further librdkafka properties, such as TLS and SASL; each has a name and a value or value_file."
        ) { entry in
            (
                entry.string("name", help: "As librdkafka spells it."),
                entry.secret("value", help: "Its value.")
            )
        }
        for (name, _) in pairs where own.contains(name) {
            self.reportFault("properties", "\(name) belongs to \(owner) and cannot be set")
        }
        return Dictionary(pairs) { $1 }
    }
}
