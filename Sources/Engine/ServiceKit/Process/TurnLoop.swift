import EventThread
import Kafka
package import Logging

/// The loop of the thread that owns an engine and its clients: it turns the engine, and sleeps until the next
/// step is due or something has arrived.
package struct TurnLoop {
    private let broker: KafkaBroker
    private let stop: StopRequest
    private let logger: Logger

    /// - Parameter stop: Stops the engine in good order. Its bell wakes this loop and no other.
    package init(of broker: KafkaBroker, until stop: StopRequest, logger: Logger) {
        self.broker = broker
        self.stop = stop
        self.logger = logger
    }

    /// Turns the engine until it has left the group.
    ///
    /// - Throws: The error of a turn.
    package func run(_ engine: inout some TurnedEngine) throws {
        var wait = Wait(on: [self.stop.bell.descriptor, self.broker.consumer.descriptor, -1, -1, -1])
        while true {
            self.stop.bell.answer()
            if self.stop.isRequested { engine.stop() }
            guard case .after(let sleep) = try engine.turn(at: .now) else { break }
            // A transactional producer that was made anew has another descriptor, and an engine does not await
            // each of its clients at all times.
            wait.watch(self.broker.producer.descriptor, at: 2)
            wait.watch(engine.upstreamDescriptor, at: 3)
            wait.watch(engine.memoryDescriptor, at: 4)
            // Without time to sleep no descriptor is looked at, because every turn serves every client.
            engine.rested(sleep > .zero && wait(atMost: sleep))
        }
        if !self.broker.hasLeft { self.logger.warning("the group has not confirmed that this worker left") }
    }
}
