import Records

@testable import DeadLetters
@testable import WireFormats

extension FuzzTarget {
    /// A condition, a schema's name, and a record.
    static let deadLetterPayload = FuzzTarget(
        "dead-letter-payload",
        longestInput: 2_048,
        words: [
            "activation\n", "devicecheck\n", "receipt\n", "push-arrival\n", "\"payload\":{",
            "content-type: application/cloudevents+json",
            "content-type: ",
            "application/x-protobuf", "\n\n", "a.b[0].c ~ x", "[\"", "!=", "<=", "\"deviceId\":", "\"data\":",
            "\"data_base64\":\"", "\"specversion\":\"1.0\"", "\\u202e", "\\ud83d", "1e999",
            "18446744073709551616",
        ]
    ) { input in
        var reader = InputReader(input)
        let condition = reader.text()
        let schema = DeadLetterSchema(rawValue: reader.text())
        let record = reader.record()
        let payload = DeadLetterPayload(of: record, schema: schema)
        try PayloadClaims.check(payload)
        try PayloadClaims.check(payload, condition)
        try PayloadClaims.checkEdit(of: payload, record)
    }
}

private enum PayloadClaims {
    static func check(_ payload: DeadLetterPayload) throws {
        let masked = payload.masked { _ in "#" }
        try claim("a message is masked", masked.tree.map { self.isMasked($0, payload.schema) } ?? true)
        try claim("what is masked twice is as it was", masked.masked { _ in "#" }.tree == masked.tree)
        try claim("what is masked is edited by nobody", masked.editable == nil)
        for line in payload.lines() + masked.lines() {
            try claim("a line prints", line.unicodeScalars.allSatisfy { !SafeText.isTreacherous($0) })
        }
        guard let tree = payload.tree else { return }
        try claim("a tree is written as it is read", (try? JSONTree(parsing: tree.compact)) == tree)
        let differences = FieldDifference.between(tree, masked.tree)
        let lines = differences.map { $0.line() }
        try claim(
            "a difference prints",
            lines.allSatisfy { $0.unicodeScalars.allSatisfy { !SafeText.isTreacherous($0) } }
        )
        try claim("nothing differs from itself", FieldDifference.between(tree, tree).isEmpty)
    }

    /// Nothing is left but marks, nothing at all, and what a schema says may be seen.
    private static func isMasked(_ tree: JSONTree, _ schema: DeadLetterSchema?) -> Bool {
        switch tree {
        case .null, .bool: true
        case .number: false
        case .string(let text): text.isEmpty || text == "#"
        case .array(let elements): elements.allSatisfy { self.isMasked($0, nil) }
        case .object(let members):
            members.allSatisfy { member in
                let isLeaf = (member.value.leafText?.utf8.count ?? .max) <= 256
                return isLeaf && schema?.field(member.name)?.isShown == true
                    || self.isMasked(member.value, nil)
            }
        }
    }

    static func check(_ payload: DeadLetterPayload, _ text: String) throws {
        let condition: DeadLetterCondition
        do throws(DeadLetterCondition.Fault) {
            condition = try DeadLetterCondition(text)
        } catch {
            let sentence = error.sentence
            try claim("a fault is a sentence", sentence.hasSuffix("."))
            try claim("a fault prints", sentence.unicodeScalars.allSatisfy { !SafeText.isTreacherous($0) })
            return
        }
        let holds = condition.holds(for: payload.tree)
        try claim("a condition on nothing does not hold", !condition.holds(for: nil))
        try claim("a condition holds or not, every time", condition.holds(for: payload.tree) == holds)
    }

    static func checkEdit(of payload: DeadLetterPayload, _ record: InboundRecord) throws {
        guard let editable = payload.editable else { return }
        guard let value = try? payload.edited(json: editable) else { return }
        var edited = record
        edited.value = value
        let again = DeadLetterPayload(of: edited, schema: payload.schema)
        try claim("an edited value suits its schema", payload.schema == nil || again.fault == nil)
        try claim(
            "an edit that changes nothing changes nothing",
            again.tree == payload.tree || payload.form == .text
        )
        try claim("what stands around stays", again.envelope == payload.envelope)
        try claim("what was edited can be edited", (try? again.edited(json: editable)) == value)
    }
}
