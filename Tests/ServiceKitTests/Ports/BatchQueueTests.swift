import ServiceKit
import Testing
import UpstreamHTTP

/// How calls share requests, and how a refused request is split.
@Suite struct BatchQueueTests {
    /// A template whose elements are numbers. A negative one is bad: the upstream refuses its whole batch.
    private struct Template: BatchTemplate {
        var key = "a"
        var elementsLimit = 50
        var bytesLimit = 50_000
        var requestsLimit = 2

        var isReady: Bool { self.key != "mute" }

        func request(of elements: [[UInt8]], at now: Int64, nonce: String) -> HTTPRequest {
            let body = Array(elements.joined(separator: [UInt8(ascii: ",")]))
            let url = "https://\(self.key).example/\(now)/\(nonce)"
            return HTTPRequest(method: .post, url: url, body: body)
        }

        func scope(of response: HTTPResponse) -> BatchScope {
            switch response.status {
            case 400: .somePart
            case 429: .key
            case 500: .failed
            default: .request
            }
        }
    }

    /// Plays the upstream for a queue until nothing is left to do.
    private struct Play {
        var queue = BatchQueue()
        var results: [UInt64: Int] = [:]
        var errors: [UInt64: TransferError] = [:]
        var sizes: [Int] = []
        private var last: UInt64 = 0
        private var out: [(id: UInt64, elements: [String])] = []

        mutating func add(_ elements: [Int], _ template: Template = Template(), failures: Int = 0) {
            for element in elements {
                self.queue.add(
                    BatchPart(Array("\(element)".utf8), of: template, plannedAt: 0),
                    id: UInt64(self.queue.partCount + self.results.count),
                    failures: failures
                )
            }
        }

        mutating func send() {
            self.last += 1
            guard let batch = self.queue.next(as: self.last) else { return }
            self.sizes.append(batch.elements.count)
            self.out.append((self.last, batch.elements.map { String(decoding: $0, as: UTF8.self) }))
        }

        /// Answers the oldest request: 400 if it holds a bad element.
        mutating func answer(_ status: Int? = nil) {
            guard !self.out.isEmpty else { return }
            let (id, elements) = self.out.removeFirst()
            let found = status ?? (elements.contains { $0.hasPrefix("-") } ? 400 : 200)
            self.note(self.queue.completed(id, .success(HTTPResponse(status: found))))
        }

        mutating func fail(
            _ error: TransferError = TransferError(kind: .timeout, mayHaveBeenSent: true, message: "m")
        ) {
            guard !self.out.isEmpty else { return }
            let (id, _) = self.out.removeFirst()
            self.note(self.queue.completed(id, .failure(error)))
        }

        mutating func drop() { self.note(self.queue.dropUnsent()) }

        private mutating func note(_ completions: [BatchQueue.Completion]) {
            for (id, result) in completions {
                switch result {
                case .success(let response): self.results[id] = response.status
                case .failure(let error): self.errors[id] = error
                }
            }
        }

        mutating func finish() {
            while self.queue.partCount > 0 {
                while self.queue.canSend { self.send() }
                self.answer()
            }
        }
    }

    @Test func whatWaitsTogetherIsSentTogether() {
        var play = Play()
        play.add([1])
        play.send()
        play.add([2])
        play.send()
        // Two requests are out, which is the limit. The next ones wait and share a request.
        play.add(Array(3...70))
        #expect(!play.queue.canSend)
        play.answer()
        play.finish()
        #expect(play.sizes == [1, 1, 50, 18])
        #expect(play.results.count == 70 && play.results.values.allSatisfy { $0 == 200 })
        #expect(play.queue.partCount == 0 && play.queue.bytes == 0 && play.queue.batchesOut == 0)
    }

    @Test(arguments: 0..<50)
    func oneBadElementStandsAloneAndNoOtherIsRefused(bad: Int) {
        var play = Play()
        play.add((0..<50).map { $0 == bad ? -1 : $0 })
        play.finish()
        #expect(play.results.filter { $0.value == 400 }.map(\.key) == [UInt64(bad)])
        #expect(play.results.count == 50)
        // One request for each halving and its other half.
        #expect(play.sizes.count <= 13 && play.sizes.first == 50)
    }

    @Test func allBadElementsAreAllRefused() {
        var play = Play()
        play.add(Array(repeating: -1, count: 50))
        play.finish()
        #expect(play.results.count == 50 && play.results.values.allSatisfy { $0 == 400 })
        #expect(play.sizes.count == 99)
    }

    /// A half that is joined with new elements would never let its bad element stand alone.
    @Test func halvesAreNotJoinedWithOthers() {
        var play = Play()
        play.add([-1, 2])
        play.send()
        play.add([3])
        play.answer()
        play.finish()
        #expect(play.sizes == [2, 1, 1, 1])
        #expect(play.results == [0: 400, 1: 200, 2: 200])
    }

    /// An upstream that breaks down over one element of a request must not take the same others with it each time.
    @Test func whatHasFailedSharesSmallerRequestsWithItsLike() {
        var play = Play()
        play.add([1, 2, 3], Template(elementsLimit: 16), failures: 1)
        play.add([4], Template(elementsLimit: 16))
        play.add([5, 6], Template(elementsLimit: 16), failures: 2)
        play.add([7, 8], Template(elementsLimit: 16), failures: 100)
        play.add([9], Template(elementsLimit: 16))
        play.finish()
        // Two and one of those that have failed once, the two fresh ones, and each of the others alone. The one
        // that has waited longest is in the next request.
        #expect(play.sizes == [2, 1, 2, 1, 1, 1, 1])
        #expect(play.results.count == 9 && play.queue.bytes == 0)
    }

    /// A failure may be the fault of one element. If there are many of the kind, single elements still get through.
    @Test func afterAFailureRequestsAreSmallerAndGrowAgainWithAnswers() {
        var play = Play()
        let template = Template(elementsLimit: 8, requestsLimit: 1)
        play.add(Array(0..<60), template)
        for status in [500, 500, 500, 500, 200, 200, 200, 500] {
            play.send()
            play.answer(status)
        }
        #expect(play.sizes == [8, 4, 2, 1, 1, 1, 1, 2])
        play.finish()
        #expect(play.sizes.dropFirst(8).prefix(10) == [1, 1, 1, 2, 2, 2, 3, 3, 3, 4])
        play.add([1], template)
        play.finish()
        #expect(play.sizes.last == 1 && play.queue.partCount == 0)
    }

    @Test func bytesBoundABatch() {
        var play = Play()
        // Three elements of two bytes and two commas are eight bytes.
        play.add([10, 11, 12, 13], Template(bytesLimit: 8))
        play.add([1_000_000_000], Template(bytesLimit: 8))
        play.finish()
        #expect(play.sizes == [3, 1, 1])
    }

    @Test func anAnswerForTheKeyEndsWhatWaitsToo() {
        var play = Play()
        play.add([1])
        play.send()
        play.add([2])
        play.send()
        play.add(Array(3...100))
        play.add([7], Template(key: "b"))
        play.answer(429)
        #expect(play.results.count == 99 && play.results.values.allSatisfy { $0 == 429 })
        play.finish()
        #expect(play.results[100] == 200)
    }

    @Test func whatWaitsBehindRequestsThatFailGoesBackUntried() {
        var play = Play()
        play.add([1])
        play.send()
        play.add([2])
        play.send()
        play.add(Array(3...100))
        play.fail()
        #expect(play.errors.count == 1)
        play.fail()
        #expect(play.errors.count == 100)
        #expect(play.errors.values.count { $0.mayHaveBeenSent } == 2)
        #expect(play.errors.values.count { $0.wasTried } == 2)
        #expect(play.errors.values.allSatisfy { $0.kind == .timeout })
        #expect(play.queue.partCount == 0 && play.queue.bytes == 0)
        // The parts that came back and are sent again have as many requests as before.
        play.errors = [:]
        play.add(Array(3...200))
        play.send()
        play.send()
        play.fail()
        #expect(play.errors.count == 50)
        play.fail()
        #expect(play.errors.count == 198)
        #expect(play.queue.partCount == 0)
    }

    /// A missing token was once a failure of requests, which made the next ones smaller.
    @Test func whatIsNotReadyGoesBackAtOnceAndMakesNoRequestSmaller() {
        var play = Play()
        play.add(Array(0..<100))
        play.send()
        play.fail(.notReady)
        #expect(play.errors.count == 100 && play.queue.partCount == 0 && play.queue.bytes == 0)
        #expect(play.errors.values.allSatisfy { $0.isNotReady && !$0.wasTried && !$0.mayHaveBeenSent })
        play.add(Array(0..<60))
        play.finish()
        #expect(play.sizes == [50, 50, 10])
    }

    /// An engine that has given its records up makes no call for them: not those that wait, and not again those
    /// of a request that is refused later.
    @Test func whatIsDroppedIsNotSent() {
        var play = Play()
        play.add([-1, 2])
        play.send()
        play.add([3])
        play.send()
        play.add([4, 5])
        play.drop()
        #expect(play.errors.keys.sorted() == [3, 4])
        #expect(play.errors.values.allSatisfy { !$0.mayHaveBeenSent && !$0.wasTried })
        play.finish()
        #expect(play.sizes == [2, 1])
        #expect(play.results == [0: 400, 1: 400, 2: 200])
        #expect(play.queue.partCount == 0 && play.queue.bytes == 0 && play.queue.batchesOut == 0)
        play.add([6])
        play.send()
        #expect(play.sizes == [2, 1, 1])
    }

    /// A key whose parts have all got an answer, while it waited for its turn, has nothing to send.
    @Test func noRequestIsEmpty() {
        var play = Play()
        play.add([1])
        play.send()
        play.add([2])
        #expect(play.queue.canSend)
        play.answer(429)
        play.send()
        #expect(play.sizes == [1] && play.results == [0: 429, 1: 429])
    }

    @Test func keysDoNotWaitForEachOther() {
        var play = Play()
        play.add([1])
        play.send()
        play.add([2])
        play.send()
        play.add([3])
        play.add([4], Template(key: "b"))
        #expect(play.queue.canSend)
        play.send()
        #expect(play.sizes == [1, 1, 1] && !play.queue.canSend)
    }

    // MARK: in front of an upstream

    /// An upstream that keeps what it was sent, and completes what it is told to.
    private final class Recorder: Upstream {
        var started: [(request: HTTPRequest, id: UInt64)] = []
        var completions: [(UInt64, Result<HTTPResponse, TransferError>)] = []
        var cut: [UInt64] = []
        let bytesInHand = 0
        let nextDeadline: Duration? = nil

        func start(_ request: HTTPRequest, id: UInt64) { self.started.append((request, id)) }

        func cutShort(_ id: UInt64) { self.cut.append(id) }

        func serve(_ completed: (UInt64, Result<HTTPResponse, TransferError>) -> Void) -> Bool {
            for (id, result) in self.completions { completed(id, result) }
            self.completions = []
            return false
        }
    }

    @Test func everyRequestHasItsOwnNonceAndTheTimeOfItsSending() {
        let recorder = Recorder()
        let upstream = BatchingUpstream(recorder, batchesLimit: 1_000, nonceStart: .max)
        for index in 0..<500 {
            upstream.start(BatchPart([0x31], of: Template(key: "\(index)"), plannedAt: 5), id: UInt64(index))
        }
        #expect(upstream.nextDeadline == .zero && recorder.started.isEmpty)
        _ = upstream.serve(at: 7) { _, _ in }
        let paths = recorder.started.map { $0.request.url.split(separator: "/").suffix(2).map(String.init) }
        #expect(paths.count == 500 && paths.allSatisfy { $0[0] == "7" })
        #expect(Set(paths.map { $0[1] }).count == 500)
        #expect(paths.allSatisfy { $0[1].utf8.count == 32 && $0[1].hasPrefix("ffffffffffffffff") })
        #expect(upstream.nextDeadline == nil && upstream.unseenCalls == 0)
    }

    @Test func aRequestOfItsOwnPassesThrough() {
        let recorder = Recorder()
        let upstream = BatchingUpstream(recorder, batchesLimit: 1, nonceStart: 0)
        upstream.start(HTTPRequest(method: .get, url: "https://x.example/"), id: 3)
        upstream.start(BatchPart([0x31], of: Template(), plannedAt: 0), id: 4)
        upstream.start(BatchPart([0x32], of: Template(), plannedAt: 0), id: 5)
        var ended: [UInt64: Int] = [:]
        _ = upstream.serve(at: 0) { ended[$0] = (try? $1.get())?.status }
        #expect(recorder.started.map(\.request.body) == [nil, Array("1,2".utf8)])
        #expect(upstream.unseenCalls == 1 && upstream.bytesInHand == 2)
        upstream.cutShort(3)
        #expect(recorder.cut == [3])
        recorder.completions = recorder.started.map { ($0.id, .success(HTTPResponse(status: 204))) }
        _ = upstream.serve(at: 0) { ended[$0] = (try? $1.get())?.status }
        #expect(ended == [3: 204, 4: 204, 5: 204] && upstream.bytesInHand == 0)
    }

    @Test func whatIsDroppedIsToldByTheNextServe() {
        let recorder = Recorder()
        let upstream = BatchingUpstream(recorder, batchesLimit: 10, nonceStart: 0)
        upstream.start(BatchPart([0x31], of: Template(), plannedAt: 0), id: 1)
        upstream.dropUnsent()
        #expect(upstream.nextDeadline == .zero && upstream.unseenCalls == 1)
        var ended: [UInt64] = []
        _ = upstream.serve(at: 0) { id, _ in ended.append(id) }
        #expect(ended == [1] && recorder.started.isEmpty)
        #expect(upstream.nextDeadline == nil && upstream.unseenCalls == 0)
    }

    @Test func aPartThatCannotBeWrittenIsNotReady() {
        let recorder = Recorder()
        let upstream = BatchingUpstream(recorder, batchesLimit: 10, nonceStart: 0)
        upstream.start(BatchPart([0x31], of: Template(key: "mute"), plannedAt: 0), id: 1)
        var errors: [TransferError] = []
        _ = upstream.serve(at: 0) { if case .failure(let error) = $1 { errors.append(error) } }
        #expect(errors == [.notReady] && recorder.started.isEmpty && upstream.unseenCalls == 0)
    }
}
