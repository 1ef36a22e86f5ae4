/// A right that a client needs on its cluster, as an ACL of Kafka grants it.
package struct NeededRight: Hashable, Sendable, CustomStringConvertible {
    /// An operation, in the words of Kafka's ACLs. READ and WRITE include DESCRIBE.
    package enum Operation: String, Sendable {
        case read = "READ"
        case write = "WRITE"
        case describeConfigs = "DESCRIBE_CONFIGS"
    }

    /// The thing that the operation is done to.
    package enum Resource: Hashable, Sendable {
        case topic(String)
        case group(String)
        /// One transactional id.
        case transactionalID(String)
        /// Every transactional id that begins so, because each start of a process makes one.
        case transactionalIDs(prefix: String)
    }

    package var operation: Operation
    package var resource: Resource
    /// The use that the client makes of it, in a few words.
    package var purpose: String
    /// Whether the client does without it, and checks less.
    package var isOptional = false

    package init(_ operation: Operation, _ resource: Resource, for purpose: String, isOptional: Bool = false)
    {
        self.operation = operation
        self.resource = resource
        self.purpose = purpose
        self.isOptional = isOptional
    }

    /// The right in words, such as `WRITE on the topic 'activation.result'`.
    package var description: String { "\(self.operation.rawValue) on \(self.resource.description)" }

    /// Returns the sentence that tells an operator of a right that is missing, with the command that grants it.
    ///
    /// - Parameters:
    ///   - principal: The client, such as `User:alice`; nil if it is not known.
    ///   - brokers: The addresses of the cluster.
    package func sentence(lackedBy principal: String?, at brokers: String) -> String {
        let command =
            "kafka-acls.sh --bootstrap-server \(brokers) --add --allow-principal '\(principal ?? "User:…")' "
            + "--operation \(self.operation.option) \(self.resource.options)"
        return
            "\(principal ?? "This client") has no \(self.description) (\(self.purpose)). Allow it: \(command)"
    }
}

extension NeededRight.Operation {
    /// The operation as `kafka-acls.sh` spells it.
    fileprivate var option: String {
        switch self {
        case .read: "Read"
        case .write: "Write"
        case .describeConfigs: "DescribeConfigs"
        }
    }
}

extension NeededRight.Resource {
    fileprivate var description: String {
        switch self {
        case .topic(let name): "the topic '\(name)'"
        case .group(let name): "the group '\(name)'"
        case .transactionalID(let name): "the transactional id '\(name)'"
        case .transactionalIDs(let prefix): "the transactional ids '\(prefix)*'"
        }
    }

    /// The options of `kafka-acls.sh`.
    fileprivate var options: String {
        switch self {
        case .topic(let name): "--topic '\(name)'"
        case .group(let name): "--group '\(name)'"
        case .transactionalID(let name): "--transactional-id '\(name)'"
        case .transactionalIDs(let prefix): "--resource-pattern-type prefixed --transactional-id '\(prefix)'"
        }
    }
}
