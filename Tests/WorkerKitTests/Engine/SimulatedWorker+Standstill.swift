import Simulation
import Testing

@testable import ServiceKit
@testable import WorkerKit

extension SimulatedWorker {
    /// Expects that the worker stands still for this cause, and that its readiness and its log name the cause and the
    /// setting or command that ends it.
    ///
    /// - Parameter remedy: A part of the sentence that says what ends the standstill.
    func expectStandstill(
        _ cause: String,
        naming remedy: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let stall = try #require(self.engine.stallWatch.stall, sourceLocation: sourceLocation)
        #expect(stall.cause == cause, sourceLocation: sourceLocation)
        #expect(stall.remedy.contains(remedy), sourceLocation: sourceLocation)
        #expect(self.engine.unreadiness != nil, sourceLocation: sourceLocation)
        let line = "the worker stands still: \(stall.description)"
        #expect(self.log.count(line) >= 1, sourceLocation: sourceLocation)
        #expect(self.log.values(of: "cause").contains(cause), sourceLocation: sourceLocation)
        #expect(self.log.values(of: "remedy").contains(stall.remedy), sourceLocation: sourceLocation)
    }
}
