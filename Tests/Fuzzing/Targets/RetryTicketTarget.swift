import Records

@testable import WireFormats

extension FuzzTarget {
    /// A topic, a reason, and a record as a retry topic may hold it.
    static let retryTicket = FuzzTarget(
        "retry-ticket",
        longestInput: 2_048,
        words: RetryTicketClaims.names.map { "\nflotilla.retry.\($0): " } + [
            "9223372036854775807", "2147483647", "-1",
        ]
    ) { input in
        var reader = InputReader(input)
        try RetryTicketClaims.check(RetryTicketClaims.ticket(of: reader.line(), saying: reader.text()))
        try RetryTicketClaims.check(reader.record(topic: "activation.retry.60s"))
    }
}

private enum RetryTicketClaims {
    static let names = [
        "topic", "partition", "offset", "timestamp", "attempts", "failures", "received_at", "first_failed_at",
        "reason", "due", "not_before", "from", "place",
    ]

    /// As a worker makes one: whatever the reason says, and however long the topic's name and the numbers are.
    static func ticket(of name: [UInt8], saying reason: String) -> RetryTicket {
        let name = name.filter { $0.isHexadecimal || $0 == UInt8(ascii: ".") }.prefix(249)
        let topic = String(decoding: name, as: UTF8.self)
        let number = name.reduce(into: 0 as Int64) { $0 = $0 &* 31 &+ Int64($1) } & .max
        let record = InboundRecord(
            topic: topic,
            partition: Int32(truncatingIfNeeded: number) & .max,
            offset: number,
            timestamp: name.isEmpty ? nil : number &- .max / 2
        )
        return RetryTicket(
            of: record,
            attempts: name.count,
            failures: Int(Int32.max),
            receivedAt: number,
            firstFailedAt: .max,
            reason: reason,
            due: number,
            notBefore: .max,
            from: "\(topic)/\(record.partition)/\(record.offset)",
            place: name.isEmpty ? nil : String(number, radix: 16)
        )
    }

    static func check(_ written: RetryTicket) throws {
        var read = try Objection.unless(RetryTicket(written.headers), "a worker reads what a worker writes")
        try claim(
            "a reason is cut at most",
            written.reason.unicodeScalars.starts(with: read.reason.unicodeScalars)
                && (read.reason == written.reason || read.reason.utf8.count > RetryTicket.textBytesLimit - 4)
        )
        read.reason = written.reason
        try claim("everything else is the same", read == written)
    }

    static func check(_ record: InboundRecord) throws {
        let ticket = RetryTicket(record.headers)
        try claim(
            "a ticket is read if it is whole, and only then",
            (ticket != nil) == self.isWhole(record.headers)
        )
        guard let ticket else { return }
        try claim("what was read is written as the same", RetryTicket(ticket.headers) == ticket)
        try claim(
            "one more call can be counted",
            ticket.attempts <= Int32.max && ticket.failures <= Int32.max
        )
        let numbers = [ticket.offset, ticket.receivedAt, ticket.firstFailedAt, ticket.due, ticket.notBefore]
        try claim("no number is negative", numbers.allSatisfy { $0 >= 0 } && ticket.partition >= 0)

        let original = ticket.original(of: record)
        let foreign = record.headers.filter { !$0.name.hasPrefix("flotilla.retry.") }
        try claim("the publisher's headers stay, and no others", original.headers == foreign)
        try claim("the value stays", original.value == record.value && original.key == record.key)
        let copy = ticket.record(of: original, to: record.topic, partition: 0)
        try claim("a copy of a copy is the same", copy.headers == foreign + ticket.headers)
    }

    /// Every header there once, of valid text and short, and all numbers what a decimal number is.
    private static func isWhole(_ headers: [RecordHeader]) -> Bool {
        let own = headers.filter { $0.name.hasPrefix("flotilla.retry.") }
        let isText = own.allSatisfy {
            $0.value.map { $0.count <= 512 && String(validating: $0, as: UTF8.self) != nil } ?? false
        }
        guard isText, Set(own.map(\.name)).count == own.count else { return false }
        return self.names.allSatisfy { name in
            guard let header = own.first(where: { $0.name == "flotilla.retry.\(name)" }) else {
                return name == "timestamp" || name == "place"
            }
            let value = header.value ?? []
            switch name {
            case "topic", "reason", "from", "place": return true
            case "timestamp": return self.isNumber(value, from: .min, to: .max)
            case "partition", "attempts", "failures":
                return self.isNumber(value, from: 0, to: Int64(Int32.max))
            default: return self.isNumber(value, from: 0, to: .max)
            }
        }
    }

    private static func isNumber(_ text: [UInt8], from least: Int64, to most: Int64) -> Bool {
        let digits =
            text.first == UInt8(ascii: "-") || text.first == UInt8(ascii: "+") ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return false }
        var value: Int64 = 0
        for digit in digits {
            let step = Int64(digit - UInt8(ascii: "0"))
            let (tenfold, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, isBeyond) =
                text.first == UInt8(ascii: "-")
                ? tenfold.subtractingReportingOverflow(step) : tenfold.addingReportingOverflow(step)
            guard !isTooLarge, !isBeyond else { return false }
            value = sum
        }
        return (least...most).contains(value)
    }
}
