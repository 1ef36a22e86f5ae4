import Foundation
package import Logging

/// An order that an operator gives to a running process.
package enum OperatorOrder: Hashable, Sendable {
    /// The part of a worker that an order is about.
    package enum Part: Hashable, Sendable {
        case worker
        /// The lane of this name, which is one account or app of the upstream.
        case lane(String)
        /// The endpoint of this name.
        case endpoint(String)
    }

    /// Begins no more calls there. For the whole worker, also takes in no more records.
    case pause(Part)
    /// Takes a pause back.
    case resume(Part)
    /// Tries at once what waits for a held lane or an open circuit breaker, parked records included.
    case release
    /// Drains, commits and ends, as SIGTERM does.
    case drain
    /// Sets the level of the log; nil for that of the settings.
    case logLevel(Logger.Level?)
    /// Bounds the calls in flight; nil for the bound of the settings.
    case concurrency(Int?)
    /// Sets the calls a second of the whole fleet; nil for the rate of the settings.
    case rate(Double?)
    /// Logs the next calls, those of a lane or of all. With no calls, ends it.
    case callLog(lane: String?, calls: Int)

    /// The rates that can be chosen.
    package static let rates = 0.01...1_000_000
    /// The calls that can be logged by one order.
    package static let loggedCalls = 0...1_000

    /// An order that cannot be carried out, with the reason as a sentence without its full stop.
    package struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        package var description: String

        package init(_ description: String) { self.description = description }
    }

    /// The form of an order as JSON: `{"order":"pause","lane":"112233"}`.
    private struct Form: Codable {
        var order: String
        var lane: String?
        var endpoint: String?
        var level: String?
        var concurrency: Int?
        var rate: Double?
        var calls: Int?
    }

    /// The longest name of a lane or an endpoint in an order, in bytes.
    private static let longestName = 512

    /// Reads an order.
    ///
    /// - Throws: `Refusal` for text that is no order.
    package init(json: [UInt8]) throws(Refusal) {
        guard let form = try? JSONDecoder().decode(Form.self, from: Data(json)) else {
            throw Refusal(#"an order is a JSON object such as {"order":"pause","lane":"112233"}"#)
        }
        switch form.order {
        case "pause": self = .pause(try Self.part(form))
        case "resume": self = .resume(try Self.part(form))
        case "release": self = .release
        case "drain": self = .drain
        case "log-level":
            self = .logLevel(try form.level.map { level throws(Refusal) in try Self.level(level) })
        case "concurrency": self = .concurrency(form.concurrency)
        case "rate": self = .rate(try Self.rate(form.rate))
        case "call-log": self = .callLog(lane: try Self.lane(form), calls: try Self.calls(form.calls))
        default:
            throw Refusal(
                "'\(form.order)' is no order: pause, resume, release, drain, log-level, concurrency, rate and call-log are"
            )
        }
    }

    private static func part(_ form: Form) throws(Refusal) -> Part {
        switch (form.lane, form.endpoint) {
        case (nil, nil): return .worker
        case (let lane?, nil) where (1...Self.longestName).contains(lane.utf8.count): return .lane(lane)
        case (nil, let endpoint?): return .endpoint(endpoint)
        case (nil, _), (_?, nil): throw Refusal("the name of a lane has 1 to \(Self.longestName) bytes")
        case (_?, _?): throw Refusal("an order is about a lane or an endpoint, not both")
        }
    }

    /// The lane of an order that an endpoint cannot have.
    private static func lane(_ form: Form) throws(Refusal) -> String? {
        switch try Self.part(form) {
        case .worker: return nil
        case .lane(let name): return name
        case .endpoint: throw Refusal("calls are logged of a lane or of all, not of an endpoint")
        }
    }

    private static func rate(_ rate: Double?) throws(Refusal) -> Double? {
        guard let rate else { return nil }
        guard Self.rates.contains(rate) else {
            throw Refusal("a rate is from 0.01 to 1000000 calls a second")
        }
        return rate
    }

    private static func calls(_ calls: Int?) throws(Refusal) -> Int {
        guard let calls, Self.loggedCalls.contains(calls) else {
            throw Refusal("the calls to log are 0 to \(Self.loggedCalls.upperBound)")
        }
        return calls
    }

    private static func level(_ name: String) throws(Refusal) -> Logger.Level {
        guard let level = Logger.Level(rawValue: name) else {
            let names = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw Refusal("'\(name)' is no level: \(names) are")
        }
        return level
    }

    /// The order as JSON.
    ///
    /// - Throws: An error of the encoder.
    package func json() throws -> String {
        var form = Form(order: self.word)
        switch self {
        case .pause(.lane(let name)), .resume(.lane(let name)): form.lane = name
        case .pause(.endpoint(let name)), .resume(.endpoint(let name)): form.endpoint = name
        case .logLevel(let level): form.level = level?.rawValue
        case .concurrency(let limit): form.concurrency = limit
        case .rate(let rate): form.rate = rate
        case .callLog(let lane, let calls): (form.lane, form.calls) = (lane, calls)
        case .pause(.worker), .resume(.worker), .release, .drain: break
        }
        return try JSONLine.text(of: form)
    }

    private var word: String {
        switch self {
        case .pause: "pause"
        case .resume: "resume"
        case .release: "release"
        case .drain: "drain"
        case .logLevel: "log-level"
        case .concurrency: "concurrency"
        case .rate: "rate"
        case .callLog: "call-log"
        }
    }
}
