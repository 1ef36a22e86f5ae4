import WireFormats

/// The numbers of one message in lists that programs read: a row of an export, or of the read API.
///
/// The members are those of `push_statistics.proto`, without the sketch of lags.
struct MessageSummary: Sendable {
    /// A value of a row.
    enum Value: Sendable {
        case text(String)
        case number(Int64)
        case share(Double)
        case flag(Bool)
        /// The value is unknown, or a rate has no denominator.
        case none
    }

    /// The names of the columns with their values, in the order of the export.
    let columns: [(name: String, value: Value)]

    init(_ statistics: PushStatisticsRecord) {
        func number(_ count: Int64?) -> Value { count.map { .number($0) } ?? .none }
        func share(_ rate: Double?) -> Value { rate.map { $0.isFinite ? .share($0) : .none } ?? .none }
        func time(_ milliseconds: Int64?) -> Value {
            milliseconds.map { .text(RFC3339.string($0)) } ?? .none
        }
        let key = statistics.key
        self.columns = [
            ("provider", .text(key.provider)), ("appBundle", .text(key.appBundle)),
            ("messageId", .text(key.messageID)), ("day", .text(key.day)),
            ("campaignId", .text(statistics.campaignID)), ("complete", .flag(statistics.isComplete)),
            ("sentAt", time(statistics.sentMS)), ("sent", number(statistics.sent)),
            ("accepted", number(statistics.accepted)), ("rejected", number(statistics.rejected)),
            ("eligible", number(statistics.eligible)), ("arrived", number(statistics.arrived)),
            ("shown", number(statistics.shown)), ("opened", number(statistics.opened)),
            ("dismissed", number(statistics.dismissed)),
            ("attachmentsShown", number(statistics.attachmentsShown)),
            ("converted", number(statistics.converted)), ("unregistered", number(statistics.unregistered)),
            ("sendingReports", .text(statistics.sendingReports.rawValue)),
            ("arrivalRate", share(statistics.knownArrivalRate)),
            ("openRate", share(statistics.knownOpenRate)),
            ("lagP50Ms", number(statistics.lag.p50MS)), ("lagP90Ms", number(statistics.lag.p90MS)),
            ("duplicates", number(statistics.duplicates)), ("lateDropped", number(statistics.lateDropped)),
            ("ineligible", number(statistics.ineligible)),
            ("unknownDevice", number(statistics.unknownDevice)),
            ("firstArrivalAt", time(statistics.firstArrivalMS)),
            ("lastArrivalAt", time(statistics.lastArrivalMS)),
            ("updatedAt", time(statistics.updatedMS)), ("version", number(statistics.version)),
        ]
    }
}

extension MessageSummary: Encodable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Name.self)
        for (name, value) in self.columns {
            let name = Name(stringValue: name)
            switch value {
            case .text(let text): try members.encode(text, forKey: name)
            case .number(let number): try members.encode(number, forKey: name)
            case .share(let share): try members.encode(share, forKey: name)
            case .flag(let flag): try members.encode(flag, forKey: name)
            case .none: try members.encodeNil(forKey: name)
            }
        }
    }
}

extension MessageSummary {
    /// The names of the columns.
    var names: [String] { self.columns.map(\.name) }

    /// The values as the cells of a spreadsheet; an unknown value is an empty cell.
    var cells: [String] {
        self.columns.map { column in
            switch column.value {
            case .text(let text): text
            case .number(let number): String(number)
            case .share(let share): String(share)
            case .flag(let flag): flag ? "true" : "false"
            case .none: ""
            }
        }
    }
}
