import Records
import Testing
import WireFormats

@testable import DeadLetters

/// Numbers of letters by one of their properties.
@Suite(.timeLimit(.minutes(10))) struct CountingTests {
    @Test func propertiesAreReadFromTheirTexts() throws {
        #expect(try LetterTrait("key") == .key)
        #expect(try LetterTrait("partition") == .partition)
        #expect(try LetterTrait("hour") == .hour)
        #expect(try LetterTrait("header:tenant") == .header("tenant"))
        var path = "items[0].price"[...]
        #expect(try LetterTrait("items[0].price") == .field(PayloadPath(before: &path)))
        var quoted = #"["key"]"#[...]
        #expect(try LetterTrait(#"["key"]"#) == .field(PayloadPath(before: &quoted)))
        for text in ["", "header:", "a = 1", "a b", "header:" + String(repeating: "a", count: 257)] {
            #expect(throws: PayloadPath.Fault.self) { try LetterTrait(text) }
        }
    }

    private func values(_ counts: TraitCounts) -> [String] {
        counts.counts.map { "\($0.value) \($0.letters) \($0.open)" }
    }

    @Test func lettersAreCountedByWhatTheyHave() async throws {
        try await ClusterUnderTest.with { cluster in
            let id = try cluster.clusterID()
            try cluster.publish(
                (0..<Int64(12)).map { number in
                    let app = number < 8 ? "112233" : "445566"
                    let device = number == 11 ? "" : #","deviceId":"d\#(number % 2)""#
                    return Letters.record(
                        number,
                        partition: Int32(number % 2),
                        from: "activation",
                        clusterID: id,
                        value: Array(#"{"appId":"\#(app)"\#(device),"more":{"n":\#(number)}}"#.utf8),
                        headers: number % 3 == 0 ? [RecordHeader("traceparent", "cn")] : []
                    )
                }
            )
            let desk = try cluster.desk()
            try desk.refresh()
            let all = LetterFilter()
            // Fields of ours that are no personal data are read as they are, and the others by their marks.
            #expect(
                try self.values(desk.counts(all, by: LetterTrait("appId"))) == [
                    #""112233" 8 8"#, #""445566" 4 4"#,
                ]
            )
            let (even, odd) = (desk.mark.text(Array("d0".utf8)), desk.mark.text(Array("d1".utf8)))
            #expect(
                try self.values(desk.counts(all, by: LetterTrait("deviceId"))) == [
                    #""\#(even)" 6 6"#, #""\#(odd)" 5 5"#, "(nothing) 1 1",
                ]
            )
            #expect(
                try self.values(desk.counts(all, by: .header("traceparent"))) == ["(nothing) 8 8", "cn 4 4"]
            )
            // An object may be large and another one in each record, so it is told as such.
            #expect(try self.values(desk.counts(all, by: LetterTrait("more"))) == ["(an object) 12 12"])
            #expect(try self.values(desk.counts(all, by: .partition)) == ["activation/0 12 12"])
            #expect(try desk.counts(all, by: .hour).letters == 12)
            #expect(try desk.counts(all, by: .key).counts.count == 12)

            // Letters that a filter leaves out are not counted, also one that looks into the records.
            var filter = LetterFilter()
            filter.conditions = [try DeadLetterCondition("appId = 445566")]
            #expect(try self.values(desk.counts(filter, by: LetterTrait("appId"))) == [#""445566" 4 4"#])
            #expect(try desk.counts(filter, by: .key).letters == 4)

            // A discarded letter is not open any more.
            filter.conditions = [try DeadLetterCondition("appId = 112233")]
            let letters = Array(try desk.letters(filter, limit: 3))
            _ = try desk.carryOut(.discard, on: letters, because: "no", selection: "")
            try desk.refresh()
            #expect(
                try self.values(desk.counts(all, by: LetterTrait("appId"))) == [
                    #""112233" 8 5"#, #""445566" 4 4"#,
                ]
            )
            var open = LetterFilter()
            open.states = [.discarded]
            #expect(try self.values(desk.counts(open, by: LetterTrait("appId"))) == [#""112233" 3 0"#])
        }
    }

    /// Each record of a publisher may have another value, and none of the letters is forgotten all the same.
    @Test func valuesBeyondTheLimitAreCountedTogether() throws {
        var tally = TraitCounts.Tally()
        for number in 0..<TraitCounts.valuesLimit + 5 { tally.add("\(number)", isOpen: true) }
        tally.add("7", isOpen: false)
        let counts = TraitCounts(tally, gone: 0)
        #expect(counts.counts.count == TraitCounts.valuesLimit)
        #expect(counts.counts.first?.value == "7")
        #expect(counts.others == 5)
        #expect(counts.letters == TraitCounts.valuesLimit + 6)
    }
}
