/// A list that is shown a page at a time: where the ways to the pages before and behind lead, and which page this is.
package struct Pager: Sendable {
    private static let furthest = 100_000

    /// Addresses.
    package let previous: String?
    package let following: String?
    package let words: String

    /// The page that was asked for, from 0 on.
    package static func page(_ query: FormFields) -> Int {
        guard let text = query["page"], let page = Int(text), 1...Self.furthest ~= page else { return 0 }
        return page - 1
    }

    /// Nil where everything is on one page.
    ///
    /// - Parameters:
    ///   - total: of lines, so many of which are on a page.
    ///   - query: what else was asked for, and is to be asked for again.
    package init?(_ page: Int, of total: Int, by size: Int, at path: String, _ query: FormFields) {
        guard page > 0 || total > size else { return nil }
        let last = max(0, (total - 1) / size)
        // From beyond the last page it leads back to one that there is.
        self.previous = page > 0 ? Self.address(of: min(page - 1, last), at: path, query) : nil
        self.following = page < last ? Self.address(of: page + 1, at: path, query) : nil
        self.words = "Page \(Shown.number(page + 1)) of \(Shown.number(last + 1))"
    }

    /// The same where nobody has counted the lines.
    package init?(_ page: Int, hasMore: Bool, at path: String, _ query: FormFields) {
        guard page > 0 || hasMore else { return nil }
        self.previous = page > 0 ? Self.address(of: page - 1, at: path, query) : nil
        self.following = hasMore ? Self.address(of: page + 1, at: path, query) : nil
        self.words = "Page \(Shown.number(page + 1))"
    }

    private static func address(of page: Int, at path: String, _ query: FormFields) -> String {
        var fields = query.without("page")
        if page > 0 { fields.add("page", String(page + 1)) }
        return fields.pairs.isEmpty ? path : "\(path)?\(fields.text)"
    }
}
