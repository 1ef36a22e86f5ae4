/// What reached the API and what was said to it, in one order, kept until somebody has read it.
///
/// Two entries for each request whose report could be read: one when it came, and one when it was answered or left
/// without an answer. A client that goes away before leaves it at the first.
package struct CallJournal: Sendable {
    package struct Entry: Codable, Hashable, Sendable {
        package var clickID: String
        /// Whether this is the request; else it is what became of it.
        package var isCall: Bool
        /// What the API said in an answer that was sent as a whole; nil for every other end.
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

    package struct Page: Codable, Hashable, Sendable {
        /// The number of the first entry.
        package var first: Int
        package var entries: [Entry]
        /// How many were forgotten unread, since the start.
        package var lost: Int

        package init(first: Int, entries: [Entry], lost: Int) {
            self.first = first
            self.entries = entries
            self.lost = lost
        }
    }

    /// Entries of one page.
    private static let pageLimit = 5_000

    /// Most entries that are kept; none with 0.
    private let limit: Int
    private var entries: [Entry] = []
    /// Entries at the front of the list that have been read: they go when they are as many as the others.
    private var read = 0
    private var first = 0
    private var lost = 0

    package init(limit: Int) { self.limit = limit }

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

    /// The entries from this number on, as many as fit a page. Those before it need not be kept any longer.
    package mutating func page(from number: Int) -> Page {
        self.read = min(max(number - self.first, self.read), self.entries.count)
        let entries = self.entries[self.read...].prefix(Self.pageLimit)
        return Page(first: self.first + self.read, entries: Array(entries), lost: self.lost)
    }
}
