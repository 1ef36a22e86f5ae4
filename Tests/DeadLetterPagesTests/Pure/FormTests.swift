import DeadLetters
import Testing
import WebPages

@testable import DeadLetterPages

struct FormTests {
    static let now: Int64 = 1_800_000_000_000

    @Test func readsWhatABrowserSends() {
        let fields = FormFields("a=1+2&b=%C3%A9%3D%26&a=3&c&d=%zz%4&e=%ff")
        #expect(fields["a"] == "1 2")
        #expect(fields.all("a") == ["1 2", "3"])
        #expect(fields["b"] == "é=&")
        #expect(fields["c"] == nil)
        #expect(fields["d"] == "%zz%4")
        #expect(fields["e"] == "\u{FFFD}")
    }

    @Test(arguments: ["a b", "é=&+%", "\u{0}\n<>", "日本"])
    func whatIsWrittenIntoAnAddressIsReadBack(text: String) {
        var fields = FormFields()
        fields.add("where", text)
        #expect(FormFields(fields.text).pairs == fields.pairs)
    }

    @Test func aMillionPairsAreNotKept() {
        #expect(FormFields(String(repeating: "a=1&", count: 100_000)).pairs.count == 512)
    }

    @Test func aFormBecomesAFilter() throws {
        let id = "dl-" + String(repeating: "0f", count: 16)
        let form = FilterForm(
            FormFields(
                "reason=gdt.*&state=open&since=2h&key=hex:00ff&where=a+%3D+1&header=x=y&id=\(id)&other=1"
            ),
            now: Self.now
        )
        #expect(form.faults.isEmpty)
        #expect(
            form.selection == "reason=gdt.* state=open since=2h key=… where=… header=x=y id=\(id)",
            "the audit trail holds no key and nothing of a payload"
        )
        #expect(form.filter.reasons == ["gdt.*"])
        #expect(form.filter.states == [.open])
        #expect(form.filter.since == Self.now - 7_200_000)
        #expect(form.filter.key == [0, 0xFF])
        #expect(form.filter.conditions.count == 1)
        #expect(form.filter.headers == [LetterFilter.HeaderCondition("x=y")])
        #expect(form.filter.ids == [try #require(LetterID(id))])
        #expect(form.fields["other"] == nil)
    }

    @Test(arguments: [
        "since=yesterday", "until=99999999999999999999d", "state=broken", "key=hex:0", "key=hex:%2B1",
        "where=%3D1",
        "id=dl-1", "id=a/b/c",
    ])
    func whatIsNotUnderstoodIsSaidAndFiltersNothing(query: String) {
        #expect(FilterForm(FormFields(query), now: Self.now).faults.count == 1)
    }

    @Test(arguments: [
        ("2026-01-31", "2026-01-31T00:00:00Z"), ("2026-01-31T09:30", "2026-01-31T09:30:00Z"),
        ("2026-01-31T09:30:05", "2026-01-31T09:30:05Z"),
        ("2026-01-31T09:30:05+02:00", "2026-01-31T07:30:05Z"),
    ])
    func takesTimesAsPeopleWriteThem(text: String, time: String) {
        #expect(FilterForm.time(text, now: 0) == FilterForm.time(time, now: 0))
        #expect(FilterForm.time(text, now: 0) != nil)
    }

    @Test(arguments: [
        "rate=0", "rate=-1", "rate=nan", "rate=inf", "maximum=0", "maximum=100001", "timestamp=soon",
    ])
    func aReplayHasBounds(query: String) {
        #expect(ReplayForm(FormFields(query)).faults.count == 1)
        #expect(ReplayForm(FormFields("rate=2.5&maximum=7&force=yes&target=t")).faults.isEmpty)
    }

    @Test func aSecondSuccessHasABoxOfItsOwn() {
        let forced = ReplayForm(FormFields("force=yes")).options
        #expect(forced.force && !forced.again)
        #expect(ReplayForm(FormFields("again=yes")).options.again)
    }

    @Test func aReasonIsMoreThanSpaces() {
        #expect(Because(FormFields("because=++++++++++")) == nil)
        #expect(Because(FormFields("because=why")) == nil)
        #expect(Because(FormFields("because=because"))?.text == "because")
        #expect(Because(FormFields("because=" + String(repeating: "x", count: 10_000)))?.text.count == 500)
    }

    @Test(arguments: [
        (0, "0"), (999, "999"), (1_000, "1,000"), (1_002_003, "1,002,003"), (-1_234, "-1,234"),
        (Int.min, "-9,223,372,036,854,775,808"),
    ])
    func numbersAreGrouped(number: Int, text: String) { #expect(Shown.number(number) == text) }

    @Test(arguments: [Int64.min, .max, -1, 0, 253_402_300_800_000])
    func noTimeIsTooOddToBeShown(time: Int64) {
        #expect(!Shown.time(time).isEmpty)
        #expect(!Shown.ago(time, now: Self.now).isEmpty)
        #expect(!Shown.ago(time, now: .min).isEmpty)
    }

    @Test func aSparklineHasABarForEachHourInWhichSomethingDied() {
        var hours = [Int](repeating: 0, count: 24)
        hours[0] = 1
        hours[23] = 1_000_000
        let line = Sparkline(hours)
        #expect(line.path == "M0 24v-2h3v2zM92 24v-24h3v24z")
        #expect(
            line.words == "1,000,001 in the last day, at most 1,000,000 in an hour, 1,000,000 in this one"
        )
        #expect(Sparkline([Int](repeating: 0, count: 24)).path.isEmpty)
        #expect(Sparkline([]).path.isEmpty)
    }

    @Test func bytesAreWrittenAsHexdumpDoes() {
        let lines = LetterModel.lines(HexDump(Array("0123456789abcdef\u{1B}<é".utf8)))
        #expect(lines[0] == "000000  30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66  0123456789abcdef")
        #expect(lines[1].hasPrefix("000010  1b 3c c3 a9 ") && lines[1].hasSuffix("  .<.."))
        #expect(LetterModel.lines(HexDump([UInt8](repeating: 0, count: 1_000_000))).count == 257)
    }
}
