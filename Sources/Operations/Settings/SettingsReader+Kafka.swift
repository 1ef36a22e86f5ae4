extension SettingsReader {
    /// Properties of librdkafka that a program knows nothing of, such as those of TLS and SASL.
    ///
    /// - Parameter objection: what is wrong with one, without its value; nil if nothing is.
    /// - Returns: of a name that is there twice, the last value.
    package func kafkaProperties(
        unless objection: (_ name: String, _ value: Secret) -> String?
    ) -> [String: Secret] {
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
        // One that is missing has been reported already.
        for (name, value) in pairs where !name.isEmpty && !value.isEmpty {
            if let objection = objection(name, value) { self.reportFault("properties", objection) }
        }
        return Dictionary(pairs) { $1 }
    }
}
