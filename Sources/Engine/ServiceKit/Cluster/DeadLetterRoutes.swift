/// The topics that get the dead letters with some reasons, in place of the usual topic of dead letters.
package struct DeadLetterRoutes: Hashable, Sendable {
    /// The routes at most.
    private static let limit = 32

    private struct Route: Hashable, Sendable {
        /// The code of a reason, or its beginning.
        var reason: String
        /// Whether all reasons that begin so are meant.
        var isBeginning: Bool
        var topic: String

        func fits(_ code: String) -> Bool {
            let (wanted, code) = (self.reason.utf8, code.utf8)
            return self.isBeginning ? code.starts(with: wanted) : code.elementsEqual(wanted)
        }
    }

    /// A route that cannot be used, as the end of a sentence.
    package struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        package var description: String
    }

    private var routes: [Route] = []

    /// Makes routes that leave every letter to the usual topic.
    package init() {}

    /// Reads routes such as `gdt.*=ads.dead-letter`.
    ///
    /// - Throws: `Fault` for the first text that is no route.
    package init(_ texts: [String]) throws(Fault) {
        guard texts.count <= Self.limit else {
            throw Fault(description: "has more than \(Self.limit) routes")
        }
        for text in texts {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw Fault(
                    description: "'\(text)' is no route; one is REASON=TOPIC, such as gdt.*=ads.dead-letter"
                )
            }
            let topic = String(parts[1])
            guard Preflight.isTopicName(topic) else {
                throw Fault(description: "'\(topic)' is not a topic name")
            }
            let isBeginning = parts[0].utf8.last == UInt8(ascii: "*")
            let reason = String(isBeginning ? parts[0].dropLast() : parts[0])
            guard !reason.utf8.contains(UInt8(ascii: "*")) else {
                throw Fault(description: "'\(text)': a reason has a * at its end only")
            }
            self.routes.append(Route(reason: reason, isBeginning: isBeginning, topic: topic))
        }
    }

    /// The topics of the routes, each once, in the order of the routes.
    ///
    /// - Parameter usual: The topic of all other letters, which is left out.
    package func topics(besides usual: String) -> [String] {
        var topics: [String] = []
        for route in self.routes where route.topic != usual && !topics.contains(route.topic) {
            topics.append(route.topic)
        }
        return topics
    }

    /// Returns the topic of letters with this reason, which is that of the first route that fits; nil for the usual one.
    package func topic(for reason: String) -> String? { self.routes.first { $0.fits(reason) }?.topic }
}
