import Records
import Testing

@testable import Fleet

/// What fuzzing has found in the fleet's own tools, each with its story in one line.
struct FindingsTests {
    /// Such a value, which gauges can have, ended the demo: no Int says it.
    @Test(arguments: [("NaN", 0), ("+Inf", 0), ("1e300", Int.max), ("-1e300", Int.min), ("76.5", 76)])
    func aMetricMayBeNoCount(text: String, sum: Int) {
        #expect(MetricsPage(Array("worker_ready \(text)\n".utf8)).sum("worker_ready") == sum)
    }

    /// Foundation takes both for JSON: they were printed as they stood, into a line that was none.
    @Test(arguments: [#"{"a":[1 ,],}"#, "{\0\"\0a\0\"\0:\0[\0]\0}\0"])
    func whatIsNoJSONIsPrintedAsBytes(value: String) {
        let record = InboundRecord(topic: "activation", partition: 0, offset: 7, value: Array(value.utf8))
        #expect(RecordLine.text(record).contains(#""value_base64":"#))
    }

    /// And published with the content type of JSON, for a worker to find out.
    @Test func whatIsNoJSONIsNotPublished() throws {
        let parser = PublishLine.Parser(topic: "activation", keyField: nil, isEnvelope: false)
        #expect(throws: PublishLine.Fault.self) { try parser.record(of: Array(#"{"a":1,}"#.utf8)) }
        #expect(try parser.record(of: Array(#"{"a":1}"#.utf8)).value == Array(#"{"a":1}"#.utf8))
    }
}
