import WebPages
import WireFormats

/// A question about the messages of the board: which of them, and in which order. The list, the exports and
/// the read API understand the same fields.
struct MessageQuery: Hashable, Sendable {
    /// The names of the fields in a query.
    static let names = MessageFilter.names + MessageOrder.names

    let filter: MessageFilter
    let order: MessageOrder

    init(_ query: FormFields) {
        self.filter = MessageFilter(query)
        self.order = MessageOrder(query)
    }

    /// Returns the fields of a query that links have to keep: those of filter and order, the choice of
    /// campaigns, and the campaigns that are unfolded. Values have a limited length, and so have addresses.
    static func kept(_ query: FormFields) -> FormFields {
        var fields = FormFields()
        var unfolded = 0
        for pair in query.only(Set(Self.names + ["group", "open"])).pairs {
            if pair.name == "open" { unfolded += 1 }
            guard unfolded <= Self.unfoldedLimit || pair.name != "open" else { continue }
            fields.add(pair.name, String(pair.value.prefix(MessageFilter.longest)))
        }
        return fields
    }

    /// The greatest number of campaigns that are unfolded at once.
    private static let unfoldedLimit = 10

    /// A sentence for each field that cannot be read.
    var faults: [String] { self.filter.faults + self.order.faults }

    /// Returns the messages that pass the filter, in the order that is asked for.
    ///
    /// - Parameter board: the messages, the last update first. Messages that are equal in the column of the
    ///   order keep that order.
    func selection(of board: [PushStatisticsRecord]) -> [PushStatisticsRecord] {
        let matching = self.filter.isEmpty ? board : board.filter(self.filter.matches)
        guard self.order.column != .updated || self.order.isAscending else { return matching }
        return self.order.sorted(matching) { self.order.column.rank($0) }
    }
}
