import Kafka
import Testing

@testable import DeadLetters

/// Errors of a cluster that goes away, as people read them.
struct ErrorWordsTests {
    /// A page and a replay once said `Local: Broker transport failure (librdkafka -195)`.
    @Test func aBrokerThatIsGoneIsToldInPlainWords() {
        let gone = KafkaError(code: .connectionFailed, message: "Local: Broker transport failure")
        #expect(ErrorWords.text(gone) == "no connection to a broker")
        #expect(ErrorWords.text(Desk.EditsMany(count: 2)) == "an edit is of one letter, not of 2")
    }
}
