extension SettingsReader {
    /// Reads further librdkafka properties, such as those of TLS and SASL, which the program itself does not
    /// interpret.
    ///
    /// - Parameter objection: returns the reason why a property must not be set, without its value; nil if it
    ///   may be set.
    /// - Returns: the value of each property. If a name occurs twice, the last value counts.
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
        // A missing name or value has been reported already.
        for (name, value) in pairs where !name.isEmpty && !value.isEmpty {
            if let objection = objection(name, value) { self.reportFault("properties", objection) }
        }
        return Dictionary(pairs) { $1 }
    }
}
