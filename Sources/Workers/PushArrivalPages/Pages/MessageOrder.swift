import WebPages
import WireFormats

/// The order of a list of messages: by one column, upwards or downwards.
struct MessageOrder: Hashable, Sendable {
    /// The columns of the list; the raw value is the word in a query.
    enum Column: String, CaseIterable, Sendable {
        case message, state, sent, accepted, arrived, opened, median, updated
    }

    /// The names of the fields in a query.
    static let names = ["sort", "order"]

    /// The column that decides.
    private(set) var column = Column.updated
    /// Whether the smallest value stands first.
    private(set) var isAscending = false
    /// A sentence for each field that cannot be read. Such a field changes nothing.
    private(set) var faults: [String] = []

    init(_ query: FormFields) {
        if let word = query["sort"] {
            if let column = Column(exactly: word) {
                self.column = column
                self.isAscending = column.isAscendingAtFirst
            } else {
                let words = Column.allCases.map(\.rawValue).joined(separator: ", ")
                self.faults.append("The field sort is none of \(words).")
            }
        }
        switch query["order"] {
        case nil: break
        case "asc": self.isAscending = true
        case "desc": self.isAscending = false
        default: self.faults.append("The field order is neither \"asc\" nor \"desc\".")
        }
    }

    /// Returns the fields that ask for a column: in its first direction, or in the other one if the list is
    /// in that order now.
    func fields(asking column: Column) -> [(name: String, value: String)] {
        let turns = column == self.column
        let ascending = turns ? !self.isAscending : column.isAscendingAtFirst
        return [("sort", column.rawValue), ("order", ascending ? "asc" : "desc")]
    }

    /// Returns the values in this order. Values that are equal in the column stand in the order of the given
    /// list; a value without a rank, such as a message without arrivals in the column of medians, stands at
    /// the end in either direction.
    func sorted<Value>(_ values: [Value], rank: (Value) -> MessageRank?) -> [Value] {
        var ranked: [(rank: MessageRank, place: Int)] = []
        var rest: [Int] = []
        for (place, value) in values.enumerated() {
            if let rank = rank(value) { ranked.append((rank, place)) } else { rest.append(place) }
        }
        ranked.sort { one, other in
            if one.rank == other.rank { return one.place < other.place }
            return self.isAscending ? one.rank < other.rank : other.rank < one.rank
        }
        return (ranked.map(\.place) + rest).map { values[$0] }
    }
}

/// The value of a column by which a list is ordered.
enum MessageRank: Hashable, Comparable, Sendable {
    case number(Int64)
    case share(Double)
    case text(String)
}

extension MessageOrder.Column {
    /// The direction of the first click: texts from A on, numbers and times from the greatest on.
    fileprivate var isAscendingAtFirst: Bool { self == .message || self == .state }

    /// Returns the value of a message in this column; nil if it has none.
    func rank(_ statistics: PushStatisticsRecord) -> MessageRank? {
        switch self {
        case .message: .text(statistics.key.title.lowercased())
        case .state: .number(statistics.isComplete ? 1 : 0)
        case .sent: statistics.sentMS.map { .number($0) }
        case .accepted: .number(statistics.accepted)
        case .arrived: statistics.knownArrivalRate.map { .share($0) }
        case .opened: statistics.knownOpenRate.map { .share($0) }
        case .median: statistics.lag.p50MS.map { .number($0) }
        case .updated: .number(statistics.updatedMS)
        }
    }
}
