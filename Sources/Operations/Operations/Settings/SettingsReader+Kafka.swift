/// Further librdkafka properties of a program.
package struct KafkaProperties: Sendable {
    /// The value of each property. If a name occurs twice in the settings, the last value counts.
    package var values: [String: Secret] = [:]
    /// The paths of the files from which values were read.
    package var files: [String: String] = [:]

    /// Makes the properties of a program that has none.
    package init() {}
}

extension SettingsReader {
    /// Reads further librdkafka properties, such as those of TLS and SASL, which the program itself does not
    /// interpret.
    ///
    /// - Parameter objection: returns the reason why a property must not be set, without its value; nil if it
    ///   may be set.
    package func kafkaProperties(
        unless objection: (_ name: String, _ value: Secret) -> String?
    ) -> KafkaProperties {
        let entries = self.each(
            "properties",
            help:
                "Further librdkafka properties, such as TLS and SASL; each has a name and a value or value_file. "
                + "The files of sasl.username and sasl.password are read again when they change."
        ) { entry in
            (
                name: entry.string("name", help: "As librdkafka spells it."),
                value: entry.secret("value", help: "Its value."),
                file: entry.path(ofSecret: "value")
            )
        }
        var properties = KafkaProperties()
        // A missing name or value has been reported already.
        for (name, value, file) in entries where !name.isEmpty && !value.isEmpty {
            if let objection = objection(name, value) { self.reportFault("properties", objection) }
            properties.values[name] = value
            properties.files[name] = file
        }
        return properties
    }
}
