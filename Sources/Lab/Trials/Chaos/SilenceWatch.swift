import Harness
import Operations
import ServiceKit
import UpstreamHTTP

/// Looks every few seconds whether a worker of a chaos run stands still and calls itself ready all the same.
///
/// It reads the metrics of the workers, of which `worker_ready` says what `/readyz` says.
final class SilenceWatch {
    /// The time between two looks at a worker.
    private static let pause = Duration.seconds(5)

    private let harness: Harness
    private var standstills: [ObjectIdentifier: Standstill] = [:]
    /// The looks that are under way, with the life of the worker's process at the question.
    private var questions: [(slot: WorkerSlot, life: Int, id: UInt64)] = []
    private var nextLook = ContinuousClock.now

    init(on harness: Harness) { self.harness = harness }

    /// Asks the workers when it is time, and takes their answers.
    ///
    /// - Returns: a sentence for each worker that stands still in silence, once for each standstill.
    func turn(_ slots: [WorkerSlot]) -> [String] {
        // A process that is stopped by the run can do nothing, and cannot say so.
        for slot in slots where slot.metricsRequest == nil { self.standstills[ObjectIdentifier(slot)] = nil }
        if .now >= self.nextLook {
            self.nextLook = .now + Self.pause
            self.questions += slots.compactMap { slot in
                slot.metricsRequest.map { (slot, slot.lives, self.harness.ask($0)) }
            }
        }
        var sentences: [String] = []
        self.questions.removeAll { question in
            guard let answer = self.harness.takeAnswer(question.id) else { return false }
            guard case .success(let response) = answer, question.slot.lives == question.life else {
                return true
            }
            let look = Standstill.Look(MetricsPage(response.body), life: question.life)
            let length = self.standstills[ObjectIdentifier(question.slot), default: Standstill()]
                .noted(look, at: .now)
            if let length {
                sentences.append(
                    "\(question.slot.name) has \(look.backlog) unsettled records, took in and finished nothing for "
                        + "\(length.shown), and calls itself ready"
                )
            }
            return true
        }
        return sentences
    }
}
