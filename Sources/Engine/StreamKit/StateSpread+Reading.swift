package import Operations

extension StateSpread {
    /// Reads the setting that keeps keys in the first partitions of a topic; nil if it is not set.
    ///
    /// - Parameter reader: The section of Kafka.
    package static func limit(_ reader: SettingsReader, of use: Use = .changelog) -> Int? {
        let (what, topic) =
            switch use {
            case .changelog: ("devices", "changelog")
            case .parts: ("messages", "parts topic")
            }
        return reader.optionalInt(
            use.key,
            in: 1...100_000,
            help:
                "Keeps \(what) in so many first partitions of the \(topic): their old number, where partitions were "
                + "added. By default in all. Changed only together with a \(topic) that is made anew."
        )
    }
}
