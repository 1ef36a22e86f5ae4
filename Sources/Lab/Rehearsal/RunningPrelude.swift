import Harness
import Operations
import UpstreamHTTP

/// The requests that come before the samples of a step, while they run.
final class RunningPrelude {
    private let prelude: DemoStep.Prelude
    private let demoWorker: DemoWorker
    private let harness: Harness
    /// The requests that the gateway has not answered yet; nil before they are posted.
    private var posts: [UInt64]?
    private var metrics: Probe

    init(_ prelude: DemoStep.Prelude, of demoWorker: DemoWorker, on harness: Harness) {
        self.prelude = prelude
        self.demoWorker = demoWorker
        self.harness = harness
        self.metrics = Probe(request: demoWorker.metricsRequest)
    }

    /// Takes the next step that is possible now.
    ///
    /// - Returns: whether the gateway has answered everything and the worker knows it.
    func turn() throws -> Bool {
        var posts =
            self.posts
            ?? self.prelude.posts.map { self.harness.ask($0.request(to: self.demoWorker.gateway)) }
        try posts.removeAll { try self.demoWorker.isAnswered($0, self.harness) }
        self.posts = posts
        guard posts.isEmpty, case .success(let page)? = self.metrics.turn(self.harness) else { return false }
        return self.prelude.isKnown(MetricsPage(page.body))
    }
}
