import Records
import WireFormats

extension DeadLetterPayload {
    /// Returns this payload with a mark in place of everything personal or secret. If the schema is known,
    /// these are the fields that it does not show and the fields that it does not know. Without a schema,
    /// these are all texts and numbers. The fields of the policy are shown in both cases. The result cannot be
    /// edited.
    ///
    /// - Parameters:
    ///   - readable: The policy that says which other fields are shown.
    ///   - mark: makes the mark from the bytes of a text, or from the digits of a number. With a keyed hash, two
    ///     marks can be compared although nobody sees the values.
    package func masked(
        showing readable: ReadablePolicy = .strict,
        by mark: (_ value: [UInt8]) -> String
    ) -> DeadLetterPayload {
        var copy = self
        withoutActuallyEscaping(mark) { mark in
            let mask = Mask(readable, mark: mark)
            copy.tree = self.tree.map { mask.message($0, self.schema) }
            copy.envelope = self.envelope.map { mask.envelope($0) }
        }
        if self.form == .bytes { copy.mark = self.record?.value.map(mark) ?? self.mark }
        copy.record = nil
        return copy
    }

    /// Returns whether the values of a header may be shown without masking: headers that dead-lettering,
    /// tracing and encoding add. The message of an exception may quote the record, so it is masked, as is
    /// every message that none of our workers wrote.
    package static func isPublicHeader(_ name: String, of dialect: DeadLetterDialect) -> Bool {
        if name.isExactly(DeadLetterNotice.messageHeaderName) { return dialect.hasPublicMessages }
        return name.utf8.count <= 128 && Self.publicHeaders.contains(name)
            || name.utf8.starts(with: "flotilla.retry.".utf8)
    }

    private static let publicHeaders: Set<String> = DeadLetterNotice.headerNames.union([
        "dlq.replay_of", "dlq.replay_id", "dlq.replay_count", "dlq.edited",
        "content-type", "content-encoding", "traceparent", "tracestate",
        "ce_specversion", "ce_id", "ce_source", "ce_type", "ce_time", "ce_dataschema", "ce_datacontenttype",
        "__value_schema_id", "__key_schema_id", "__TypeId__", "__KeyTypeId__",
        "kafka_dlt-original-topic", "kafka_dlt-original-partition", "kafka_dlt-original-offset",
        "kafka_dlt-original-timestamp", "kafka_dlt-original-timestamp-type",
        "kafka_dlt-original-consumer-group",
        "kafka_original-topic", "kafka_original-partition", "kafka_original-offset",
        "kafka_original-timestamp", "kafka_original-timestamp-type", "kafka_original-consumer-group",
        "retry_topic-attempts", "retry_topic-backoff-timestamp", "retry_topic-original-timestamp",
        "kafka_dlt-exception-fqcn", "kafka_dlt-exception-cause-fqcn", "kafka_dlt-key-exception-fqcn",
        "kafka_exception-fqcn", "kafka_exception-cause-fqcn", "kafka_deliveryAttempt",
        "__connect.errors.topic", "__connect.errors.partition", "__connect.errors.offset",
        "__connect.errors.connector.name", "__connect.errors.task.id", "__connect.errors.stage",
        "__connect.errors.class.name", "__connect.errors.exception.class.name",
        "__streams.errors.topic", "__streams.errors.partition", "__streams.errors.offset",
        "__streams.errors.processor.node.id", "__streams.errors.task.id",
        "source_topic", "source_partition", "source_offset", "source_consumer_group", "source_attempts",
        "source_trace_id", "original_topic", "original_partition", "original_offset",
        "original_consumer_group", "original_attempts",
        "topic_poisoned", "handler_poisoned", "subscriber_poisoned",
        "x-original-topic", "x-original-partition", "x-original-offset",
    ])
}

private struct Mask {
    private let readable: ReadablePolicy
    private let mark: ([UInt8]) -> String

    init(_ readable: ReadablePolicy, mark: @escaping ([UInt8]) -> String) {
        self.readable = readable
        self.mark = mark
    }

    func message(_ tree: JSONTree, _ schema: DeadLetterSchema?) -> JSONTree {
        guard let schema, case .object(let members) = tree else { return self.all(tree, at: "") }
        return .object(
            members.map { member in
                self.member(member, isShown: schema.field(member.name)?.isShown == true)
            }
        )
    }

    /// Masks a CloudEvent's attributes, except those that identify the event and say how it is written. The
    /// subject of the event is masked.
    func envelope(_ tree: JSONTree) -> JSONTree {
        let shown = [
            "specversion", "id", "source", "type", "time", "datacontenttype", "dataschema", "traceparent",
        ]
        guard case .object(let members) = tree else { return self.all(tree, at: nil) }
        return .object(members.map { self.member($0, isShown: Self.holds(shown, $0.name), at: nil) })
    }

    private static func holds(_ names: [String], _ name: String) -> Bool {
        names.contains { $0.isExactly(name) }
    }

    /// - Parameter path: the place of the object that has the member; nil where the policy shows nothing.
    private func member(_ member: JSONTree.Member, isShown: Bool, at path: String? = "") -> JSONTree.Member {
        // A shown field with a list, an object or a longer text does not hold what its schema says, so it may
        // hold anything.
        if isShown, let text = member.value.leafText, text.utf8.count <= ReadablePolicy.valueBytesLimit {
            return member
        }
        let place = path.map { $0.isEmpty ? member.name : "\($0).\(member.name)" }
        return JSONTree.Member(self.name(member.name), self.all(member.value, at: place))
    }

    /// Masks all texts and numbers below a place, except those that the policy shows.
    ///
    /// - Parameter path: the names on the way to the place; nil where the policy shows nothing.
    private func all(_ tree: JSONTree, at path: String?) -> JSONTree {
        switch tree {
        case .null, .bool: tree
        case .number(let digits): self.shows(digits, at: path) ? tree : .string(self.mark(Array(digits.utf8)))
        case .string(let text):
            text.isEmpty || self.shows(text, at: path) ? tree : .string(self.mark(Array(text.utf8)))
        case .array(let elements): .array(elements.map { self.all($0, at: path) })
        case .object(let members): .object(members.map { self.member($0, isShown: false, at: path) })
        }
    }

    private func shows(_ text: String, at path: String?) -> Bool {
        guard let path, !path.isEmpty, text.utf8.count <= ReadablePolicy.valueBytesLimit else { return false }
        return self.readable.showsField(path)
    }

    /// Returns the name of a member, or a mark. Names help the reader, so a name that looks chosen by a
    /// developer stays: at most 64 bytes, at most 4 digits, and only letters, digits and `_-.$:#`. The names
    /// in a map may be data instead, such as addresses, numbers or ids.
    private func name(_ name: String) -> String {
        let bytes = name.utf8
        let isThoughtOf =
            bytes.count <= 64 && bytes.count { $0.isDigit } <= 4
            && bytes.allSatisfy { $0.isAlphanumeric || "_-.$:#".utf8.contains($0) }
        return isThoughtOf ? name : self.mark(Array(bytes))
    }
}
