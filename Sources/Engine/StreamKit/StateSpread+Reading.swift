package import Operations

extension StateSpread {
    /// Reads the setting that keeps keys in the first partitions of a changelog; nil if it is not set.
    ///
    /// - Parameter reader: The section of Kafka.
    package static func limit(_ reader: SettingsReader) -> Int? {
        reader.optionalInt(
            "changelog_partitions",
            in: 1...100_000,
            help:
                "Keeps devices in so many first partitions of the changelog: their old number, where partitions were "
                + "added. By default in all. Changed only together with a changelog that is made anew."
        )
    }
}
