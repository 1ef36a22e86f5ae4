package import ArgumentParser

/// The options with which a command reaches a cluster.
package struct ClusterOptions: ParsableArguments {
    /// Creates the options with their defaults, as the argument parser needs it.
    package init() {}

    /// The addresses of the brokers, as `host:port[,host:port…]`.
    @Option(help: "Where the cluster is: host:port[,host:port…].")
    package var brokers = "127.0.0.1:9092"

    /// Further properties of librdkafka.
    @Option(
        name: .customLong("property"),
        help: ArgumentHelp(
            "A further librdkafka property, such as TLS and SASL; can be repeated.",
            valueName: "name=value"
        )
    )
    package var extra: [PropertyArgument] = []

    /// The properties for librdkafka. A property of the user overrides `brokers`.
    package var properties: [String: String] {
        ["bootstrap.servers": self.brokers].merging(self.extra.map { ($0.name, $0.value) }) { $1 }
    }
}

/// A property of librdkafka as it is written on the command line: `name=value`.
package struct PropertyArgument: ExpressibleByArgument {
    /// The name of the property, as librdkafka spells it.
    package let name: String
    /// The value; it may be empty.
    package let value: String

    /// Reads `name=value`; nil without a name or without `=`.
    package init?(argument: String) {
        guard let mark = argument.firstIndex(of: "="), mark > argument.startIndex else { return nil }
        self.name = String(argument[..<mark])
        self.value = String(argument[argument.index(after: mark)...])
    }
}
