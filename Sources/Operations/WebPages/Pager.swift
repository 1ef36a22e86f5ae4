/// The links below a list that is shown page by page: to the page before, to the page after, and the number
/// of this page.
package struct Pager: Sendable {
    /// The number of the last page that can be asked for.
    private static let furthest = 100_000

    /// The address of the page before; nil on the first page.
    package let previous: String?
    /// The address of the page after; nil on the last page.
    package let following: String?
    /// The number of this page in words.
    package let words: String

    /// Returns the number of the page that a request asks for, counted from 0; 0 if it names none or one that
    /// is out of range.
    package static func page(_ query: FormFields) -> Int {
        guard let text = query["page"], let page = Int(text), 1...Self.furthest ~= page else { return 0 }
        return page - 1
    }

    /// Makes the links of a list whose length is known; nil if one page holds all of it.
    ///
    /// - Parameters:
    ///   - total: the number of lines of the whole list.
    ///   - size: the number of lines on a page.
    ///   - query: the other fields of the request, which the links keep.
    package init?(_ page: Int, of total: Int, by size: Int, at path: String, _ query: FormFields) {
        guard page > 0 || total > size else { return nil }
        let last = max(0, (total - 1) / size)
        // A page beyond the last one links back to the last one.
        self.previous = page > 0 ? Self.address(of: min(page - 1, last), at: path, query) : nil
        self.following = page < last ? Self.address(of: page + 1, at: path, query) : nil
        self.words = "Page \(Shown.number(page + 1)) of \(Shown.number(last + 1))"
    }

    /// Makes the links of a list whose length is not known; nil if the first page holds all of it.
    ///
    /// - Parameters:
    ///   - hasMore: whether there are lines after this page.
    ///   - query: the other fields of the request, which the links keep.
    package init?(_ page: Int, hasMore: Bool, at path: String, _ query: FormFields) {
        guard page > 0 || hasMore else { return nil }
        self.previous = page > 0 ? Self.address(of: page - 1, at: path, query) : nil
        self.following = hasMore ? Self.address(of: page + 1, at: path, query) : nil
        self.words = "Page \(Shown.number(page + 1))"
    }

    /// Returns the address of a page.
    private static func address(of page: Int, at path: String, _ query: FormFields) -> String {
        var fields = query.without("page")
        if page > 0 { fields.add("page", String(page + 1)) }
        return fields.pairs.isEmpty ? path : "\(path)?\(fields.text)"
    }
}
