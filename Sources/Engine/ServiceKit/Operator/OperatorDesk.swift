import Foundation
package import Logging
package import Operations
import Synchronization

/// The place where an operator's choices stand, between the thread that takes orders and the threads of engines.
///
/// An order changes the choices at once. Each engine looks at `version` in every turn, and takes the choices over when
/// it has changed. If there is a file for them, the choices outlive the process.
package final class OperatorDesk: Sendable {
    /// The work of a process, as far as orders are about it.
    package enum Work: Hashable, Sendable {
        /// Calls to these endpoints, with so many in flight at most.
        case calls(endpoints: [String], concurrency: Int)
        /// Records that are processed without calls.
        case states
        /// No records are consumed.
        case none
    }

    /// The orders that an engine takes over.
    package struct Orders: Hashable, Sendable {
        package var choices = OperatorChoices()
        /// The number of orders so far to try at once what waits.
        package var releases = 0
        /// The last order to log calls; nil before the first one.
        package var callLog: CallLog?

        package init() {}
    }

    /// An order to log calls.
    package struct CallLog: Hashable, Sendable {
        /// The number of the order, so that an order that is repeated begins again.
        package var number: Int
        /// The lane whose calls are logged; nil for those of all lanes.
        package var lane: String?
        /// The calls that are logged; 0 ends the log.
        package var calls: Int

        package init(number: Int, lane: String?, calls: Int) {
            self.number = number
            self.lane = lane
            self.calls = calls
        }
    }

    private struct State {
        var orders = Orders()
        var work = Work.none
        /// The bound on calls in flight of the settings; nil for the one that the process began with.
        var settingsConcurrency: Int?
        /// The rate of the settings, as in `OperatorChoices`; nil for the one that the process began with.
        var settingsRate: Double?
        var settingsLevel: Logger.Level
    }

    private let file: PrivateFile?
    private let level: LogLevelSwitch
    private let state: Mutex<State>
    private let count = Atomic<UInt64>(1)

    /// Makes a desk, with the choices of its file.
    ///
    /// - Parameters:
    ///   - path: The file that keeps the choices; nil if they end with the process.
    ///   - level: The level of the log, as the settings have it.
    /// - Throws: `Refusal` if the file is there and cannot be used.
    package init(keptIn path: String? = nil, level: LogLevelSwitch) throws(OperatorOrder.Refusal) {
        self.file = path.map { PrivateFile(path: $0) }
        self.level = level
        var state = State(settingsLevel: level.level)
        if let path, FileManager.default.fileExists(atPath: path) {
            do {
                let bytes = try PrivateFile(path: path).read().revealBytes()
                state.orders.choices = try JSONDecoder().decode(OperatorChoices.self, from: Data(bytes))
            } catch {
                throw OperatorOrder.Refusal(
                    "\(path) (admin.choices_file) cannot be used: \(Self.words(for: error))"
                )
            }
        }
        self.state = Mutex(state)
        self.setLevel()
    }

    /// The number of changes so far. An engine that has seen this number has nothing to take over.
    package var version: UInt64 { self.count.load(ordering: .acquiring) }

    /// The orders that hold now.
    package var orders: Orders {
        self.state.withLock { state in
            var orders = state.orders
            orders.choices.concurrency = orders.choices.concurrency ?? state.settingsConcurrency
            orders.choices.rate = orders.choices.rate ?? state.settingsRate
            return orders
        }
    }

    /// The choices that hold now, without what the settings say.
    package var choices: OperatorChoices { self.state.withLock { $0.orders.choices } }

    /// The work of the process.
    package var work: Work { self.state.withLock { $0.work } }

    /// Notes what the process does.
    package func begin(_ work: Work) { self.state.withLock { $0.work = work } }

    /// Carries an order out, except `drain`, which is the process's own.
    ///
    /// - Throws: `Refusal` if the order fits no part of this process, or the choices cannot be kept.
    package func carryOut(_ order: OperatorOrder) throws(OperatorOrder.Refusal) {
        try self.state.withLock { state throws(OperatorOrder.Refusal) in
            var orders = state.orders
            try Self.change(&orders, by: order, in: state.work)
            if orders.choices != state.orders.choices { try self.keep(orders.choices) }
            state.orders = orders
        }
        self.setLevel()
        self.count.add(1, ordering: .releasing)
    }

    /// Takes over what the settings say now. An operator's choice of the same thing is taken back.
    ///
    /// - Parameters:
    ///   - concurrency: The bound on calls in flight; nil for a process without calls.
    ///   - rate: Calls a second of the whole fleet; nil if the settings have no rate.
    /// - Throws: `Refusal` if the choices cannot be kept.
    package func settingsRead(
        level: Logger.Level,
        concurrency: Int?,
        rate: Double?
    ) throws(OperatorOrder.Refusal) {
        try self.state.withLock { state throws(OperatorOrder.Refusal) in
            var choices = state.orders.choices
            choices.logLevel = nil
            choices.concurrency = nil
            choices.rate = nil
            if choices != state.orders.choices { try self.keep(choices) }
            state.orders.choices = choices
            state.settingsLevel = level
            state.settingsConcurrency = concurrency
            state.settingsRate = rate ?? .infinity
        }
        self.setLevel()
        self.count.add(1, ordering: .releasing)
    }

    private static func change(_ orders: inout Orders, by order: OperatorOrder, in work: Work)
        throws(OperatorOrder.Refusal)
    {
        switch order {
        case .pause(.worker):
            guard work != .none else { throw Self.isNoWorker }
            orders.choices.isPaused = true
        case .resume(.worker): orders.choices.isPaused = false
        case .pause(.lane(let name)):
            _ = try Self.calls(of: work)
            orders.choices.lanes.insert(name)
        case .resume(.lane(let name)):
            guard orders.choices.lanes.remove(name) != nil else {
                throw OperatorOrder.Refusal("the lane '\(name)' is not paused")
            }
        case .pause(.endpoint(let name)):
            let names = try Self.calls(of: work).endpoints
            guard names.contains(name) else {
                throw OperatorOrder.Refusal(
                    "there is no endpoint '\(name)': \(names.joined(separator: ", ")) \(names.count == 1 ? "is" : "are")"
                )
            }
            orders.choices.endpoints.insert(name)
        case .resume(.endpoint(let name)):
            guard orders.choices.endpoints.remove(name) != nil else {
                throw OperatorOrder.Refusal("the endpoint '\(name)' is not paused")
            }
        case .release:
            _ = try Self.calls(of: work)
            orders.releases += 1
        case .concurrency(let limit):
            let most = try Self.calls(of: work).concurrency
            guard (1...most).contains(limit ?? most) else {
                throw OperatorOrder.Refusal(
                    "the calls in flight are 1 to \(most), which is worker.concurrency"
                )
            }
            orders.choices.concurrency = limit
        case .rate(let rate):
            _ = try Self.calls(of: work)
            orders.choices.rate = rate
        case .callLog(let lane, let calls):
            _ = try Self.calls(of: work)
            orders.callLog = CallLog(number: (orders.callLog?.number ?? 0) + 1, lane: lane, calls: calls)
        case .logLevel(let level): orders.choices.logLevel = level?.rawValue
        case .drain: break
        }
    }

    private static func calls(of work: Work) throws(OperatorOrder.Refusal) -> (
        endpoints: [String], concurrency: Int
    ) {
        switch work {
        case .calls(let endpoints, let concurrency): return (endpoints, concurrency)
        case .states:
            throw OperatorOrder.Refusal("this worker makes no calls, so it has neither lanes nor endpoints")
        case .none: throw Self.isNoWorker
        }
    }

    private static var isNoWorker: OperatorOrder.Refusal {
        OperatorOrder.Refusal("this program consumes no records, or has not begun yet")
    }

    private func keep(_ choices: OperatorChoices) throws(OperatorOrder.Refusal) {
        guard let file else { return }
        do {
            try file.replace(by: Secret(bytes: Array(try JSONLine.text(of: choices).utf8)))
        } catch {
            throw OperatorOrder.Refusal("\(file.path) (admin.choices_file) \(error)")
        }
    }

    /// Sets the level of the log. It is done under the lock, so that the last of two orders also sets the level last.
    private func setLevel() {
        self.state.withLock { state in
            let chosen = state.orders.choices.logLevel.flatMap { Logger.Level(rawValue: $0) }
            self.level.level = chosen ?? state.settingsLevel
        }
    }

    private static func words(for error: any Error) -> String {
        error is DecodingError ? "it is no JSON that this program has written" : "it \(error)"
    }
}
