/// The requests that reached the API and their responses, in one order, kept until a client has read them.
///
/// Each request whose report could be read makes two entries: one at its arrival, and one when it is answered
/// or left without a response. If the client disconnects before that, only the first entry is made.
package struct CallJournal: Sendable {
    /// The arrival or the end of one request.
    package struct Entry: Codable, Hashable, Sendable {
        /// The click id of the request's report.
        package var clickID: String
        /// True for the arrival of a request, false for its end.
        package var isCall: Bool
        /// The code in a complete response of the API; nil for an arrival and for every other end.
        package var ret: Int?

        package init(clickID: String, isCall: Bool, ret: Int? = nil) {
            self.clickID = clickID
            self.isCall = isCall
            self.ret = ret
        }

        private enum CodingKeys: String, CodingKey {
            case clickID = "click_id"
            case isCall = "call"
            case ret
        }
    }

    /// Part of the journal, as a client reads it.
    package struct Page: Codable, Hashable, Sendable {
        /// The number of the page's first entry, counted from the start of the simulator.
        package var first: Int
        /// The entries in their order; empty if there is nothing new.
        package var entries: [Entry]
        /// The number of entries since the start that were dropped before they were read.
        package var lost: Int

        package init(first: Int, entries: [Entry], lost: Int) {
            self.first = first
            self.entries = entries
            self.lost = lost
        }
    }

    /// The greatest number of entries in one page.
    private static let pageLimit = 5_000

    /// The greatest number of entries that are kept; 0 keeps none.
    private let limit: Int
    private var entries: [Entry] = []
    /// The number of entries at the front of the list that have been read. They are removed when they are
    /// more than half of the list.
    private var read = 0
    /// The number of the list's first entry.
    private var first = 0
    private var lost = 0

    /// Creates an empty journal for this many unread entries.
    package init(limit: Int) { self.limit = limit }

    /// Adds an entry. If the journal is full, the oldest entry is dropped.
    package mutating func note(_ entry: Entry) {
        guard self.limit > 0 else { return }
        if self.entries.count - self.read >= self.limit {
            self.read += 1
            self.lost += 1
        }
        self.entries.append(entry)
        guard self.read > self.entries.count / 2 else { return }
        self.entries.removeFirst(self.read)
        self.first += self.read
        self.read = 0
    }

    /// Returns the entries from this number on, as many as fit into a page. The entries before it count as
    /// read, and may be removed.
    package mutating func page(from number: Int) -> Page {
        self.read = min(max(number - self.first, self.read), self.entries.count)
        let entries = self.entries[self.read...].prefix(Self.pageLimit)
        return Page(first: self.first + self.read, entries: Array(entries), lost: self.lost)
    }
}
