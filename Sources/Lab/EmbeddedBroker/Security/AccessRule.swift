/// A rule that allows a principal an operation on a resource, as an ACL of Kafka does. There are no rules that deny.
package struct AccessRule: Hashable, Sendable {
    /// The kinds of resources.
    package enum Kind: String, Sendable { case topic, group, cluster, transactionalID }

    /// The operations of Kafka (`AclOperation`) that clients need.
    package enum Operation: String, Sendable {
        case read, write, create, delete, alter, describe, alterConfigs, describeConfigs, idempotentWrite
    }

    /// The names that the rule is about.
    package enum Names: Hashable, Sendable {
        /// One name. The cluster's is `kafka-cluster`.
        case literal(String)
        /// Every name that begins so.
        case prefix(String)
    }

    /// The client, such as `User:alice`. `User:*` is every client.
    package var principal: String
    package var kind: Kind
    package var names: Names
    package var operation: Operation

    /// Makes a rule.
    package init(_ principal: String, _ operation: Operation, on kind: Kind, named names: Names) {
        self.principal = principal
        self.operation = operation
        self.kind = kind
        self.names = names
    }
}

/// The rules in effect.
///
/// As in Kafka's `StandardAuthorizer`, a right to read, write, delete or alter includes the one to describe, and the
/// one to alter settings includes the one to see them.
struct AccessRules {
    /// With nil, everything is allowed.
    var rules: [AccessRule]?

    /// The name of the only resource of the kind `cluster`.
    static let cluster = "kafka-cluster"

    func allows(
        _ principal: String,
        _ operation: AccessRule.Operation,
        on kind: AccessRule.Kind,
        named name: String
    ) -> Bool {
        guard let rules else { return true }
        return rules.contains { rule in
            rule.isAbout(principal) && rule.kind == kind && rule.includes(operation)
                && rule.names.contain(name)
        }
    }

    /// Whether the operation is allowed on any resource of a kind (`authorizeByResourceType`).
    func allowsAny(_ principal: String, _ operation: AccessRule.Operation, on kind: AccessRule.Kind)
        -> Bool
    {
        guard let rules else { return true }
        return rules.contains { $0.isAbout(principal) && $0.kind == kind && $0.includes(operation) }
    }
}

extension AccessRule {
    fileprivate func isAbout(_ principal: String) -> Bool {
        self.principal == principal || self.principal == "User:*"
    }

    fileprivate func includes(_ operation: Operation) -> Bool {
        guard self.operation != operation else { return true }
        return switch operation {
        case .describe: [.read, .write, .delete, .alter].contains(self.operation)
        case .describeConfigs: self.operation == .alterConfigs
        default: false
        }
    }
}

extension AccessRule.Names {
    fileprivate func contain(_ name: String) -> Bool {
        switch self {
        case .literal(let literal): literal == name || literal == "*"
        case .prefix(let prefix): name.hasPrefix(prefix)
        }
    }
}
