import Testing

@testable import DeadLetters

/// The record that an outcome or a letter is about is the one that a replay sent, or it is not.
@Suite struct SettledRecordTests {
    private static func record(
        _ topic: String?,
        _ partition: Int32? = 0,
        offset: Int64? = 7,
        origin: String? = nil,
        pushOrigin: String? = nil,
        isForeign: Bool = false
    ) -> SettledRecord {
        SettledRecord(
            topic: topic,
            partition: partition,
            offset: offset,
            origin: origin.map { Array($0.utf8) },
            pushOrigin: pushOrigin.map { Array($0.utf8) },
            isForeign: isForeign
        )
    }

    /// Beside each record, whether it is the one that a replay sent to `orders/0/7`.
    @Test(
        arguments: [
            (record("orders"), true), (record("orders", offset: 8), false), (record("orders", 1), false),
            (record("payments"), false),
            // Nothing is named, or only the topic.
            (record(nil), true), (record(""), true), (record("orders", nil), true),
            (record("orders", offset: nil), true),
            // A worker has made another record of it, in another topic.
            (record("orders.due", offset: 99, origin: "orders/0/7"), true),
            (record("orders.due", offset: 7, origin: "orders/0/8"), false),
            (record("orders.due", offset: 7, origin: String(repeating: "o", count: 301)), false),
            // In the topic itself, every publisher can write that header.
            (record("orders", offset: 8, origin: "orders/0/7"), false),
            // A push event was sent on to the home of its device.
            (record("orders", 3, offset: 20, pushOrigin: "0/7"), true),
            (record("orders", 3, offset: 20, pushOrigin: "0/7/1"), true),
            (record("orders", 3, offset: 20, pushOrigin: "0/8/1"), false),
            (record("orders", 3, offset: 20, pushOrigin: "7"), false),
            (record("orders", 3, offset: 20, pushOrigin: String(repeating: "7/", count: 40)), false),
            (record("orders", pushOrigin: "3/4"), true),
            // A framework has retry topics of its own.
            (record("orders-retry-0", offset: 3, isForeign: true), true),
            (record("orders", offset: 3, isForeign: true), false),
            (record("orders", isForeign: true), true),
        ] as [(SettledRecord, Bool)]
    )
    func isTheOneThatAReplaySent(record: SettledRecord, isIt: Bool) {
        #expect(record.isOfReplay(to: "orders", at: "orders/0/7") == isIt)
    }

    /// Entries of earlier versions say which topic the record went to, and no more.
    @Test(
        arguments: [
            (record("orders", 3, offset: 99), true), (record("payments"), false),
            (record("orders.due", origin: "orders/5/1"), true),
            (record("orders.due", origin: "orders.more/5/1"), false),
        ] as [(SettledRecord, Bool)]
    )
    func theTopicDecidesWhereNoPlaceIsKnown(record: SettledRecord, isIt: Bool) {
        #expect(record.isOfReplay(to: "orders", at: nil) == isIt)
    }

    @Test(arguments: [
        SettledRecord(), record("orders"), record("t", 1, offset: .max, origin: "a/0/1", pushOrigin: "2/3"),
        record("t", nil, isForeign: true),
    ])
    func isReadAsItWasKept(record: SettledRecord) throws {
        #expect(SettledRecord(json: try record.json) == record)
        #expect(try record.json == record.json)
    }

    @Test(arguments: ["", "{}", "[]", #"{"topic":7}"#])
    func anotherTextIsNoRecord(text: String) {
        #expect(SettledRecord(json: text) == nil)
    }
}
