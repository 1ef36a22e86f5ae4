package import ArgumentParser

/// How a command reaches a cluster.
package struct ClusterOptions: ParsableArguments {
    package init() {}

    @Option(help: "Where the cluster is: host:port[,host:port…].")
    package var brokers = "127.0.0.1:9092"

    @Option(
        name: .customLong("property"),
        help: ArgumentHelp(
            "A further librdkafka property, such as TLS and SASL; can be repeated.",
            valueName: "name=value"
        )
    )
    package var extra: [PropertyArgument] = []

    package var properties: [String: String] {
        ["bootstrap.servers": self.brokers].merging(self.extra.map { ($0.name, $0.value) }) { $1 }
    }
}

/// A property as it is written on the command line.
package struct PropertyArgument: ExpressibleByArgument {
    package let name: String
    package let value: String

    package init?(argument: String) {
        guard let mark = argument.firstIndex(of: "="), mark > argument.startIndex else { return nil }
        self.name = String(argument[..<mark])
        self.value = String(argument[argument.index(after: mark)...])
    }
}
