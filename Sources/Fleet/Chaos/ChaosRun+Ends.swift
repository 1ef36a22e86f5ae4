import Terminal
import WorkerKit

// How lives end, and the next ones begin.
extension ChaosRun {
    // MARK: - Ends

    func takeEnds() throws {
        for post in self.cast.posts {
            switch post.takeEnd() {
            case .killed, nil: break
            case .left(let exit, let took):
                if exit != .code(0) { self.object(.worker, "\(post.name) left with \(exit)") }
                self.tell("\(post.name) has left, \(Self.text(took)) after SIGTERM")
                self.tally.longestLeaving = max(self.tally.longestLeaving, took)
            case .gaveUp(let lastWords):
                self.tell("\(post.name) gives up: \(lastWords)")
                self.tally.clientFailures += 1
                try self.restart(post, after: lastWords)
            case .died(let exit, let lastWords):
                self.tell("\(post.name) has ended by itself: \(exit)")
                self.object(.worker, "\(post.name) ended by itself (\(exit)): \(lastWords)")
                try self.restart(post, after: lastWords)
            }
            if case .leaving(let since) = post.state, since.duration(to: .now) > Self.longestLeaving {
                self.object(
                    .worker,
                    "\(post.name) had not ended \(Self.text(Self.longestLeaving)) after SIGTERM"
                )
                post.kill()
            }
        }
        try self.beginNextLives()
    }

    /// What a supervisor does.
    private func restart(_ post: WorkerPost, after lastWords: String) throws {
        self.tally.deaths += 1
        guard self.tally.deaths < Self.deathsLimit else {
            throw Complaint("workers do not stay; the last said: \(lastWords)")
        }
        guard let worker = self.cast.posts.firstIndex(where: { $0 === post }) else { return }
        if worker < self.cast.options.workers { try self.cast.start(worker, queueLimit: nil) }
    }

    private func beginNextLives() throws {
        var waiting: [(worker: Int, fault: ChaosFault)] = []
        for (worker, fault) in self.restarts {
            guard self.cast.posts[worker].state == .absent else {
                waiting.append((worker, fault))
                continue
            }
            self.tell("worker \(worker + 1) is back\(Self.queue(fault))")
            try self.cast.start(worker, queueLimit: fault.queueLimit)
        }
        self.restarts = waiting
    }

    func object(_ matter: ChaosFindings.Matter, _ sentence: String) {
        self.findings.append((matter, sentence))
    }
}
