import EventThread
import ServiceKit
import Testing

@Suite(.timeLimit(.minutes(10)))
struct KafkaMemoryTests {
    /// The clients report that there is no broker, again and again. Taking the reports lets a thread sleep.
    @Test func dropsWhatItsClientsReport() throws {
        let memory = try KafkaMemory(["bootstrap.servers": "127.0.0.1:1"])
        var wait = Wait(on: [memory.descriptor])
        while true {
            wait(atMost: .seconds(1))
            if wait.isReadable(at: 0) { break }
            // A report that came before the descriptor was set up does not make it readable.
            memory.dropReports()
        }
        // The next report may come at once.
        repeat {
            memory.dropReports()
            wait(atMost: .zero)
        } while wait.isReadable(at: 0)
    }
}
