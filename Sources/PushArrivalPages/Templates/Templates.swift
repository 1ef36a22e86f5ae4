import Mustache
import WebPages

/// All pages as templates, read once.
///
/// Every value is escaped on its way into a page, by `ShownContent`; no template asks for one as it is (a test holds
/// them to that), so there is no way for a text from outside to become a part of the page.
struct Templates: Sendable {
    enum Name: String, CaseIterable {
        case layout, standing, list, listLive, message, messageLive, funnelRow, curve, notice
    }

    private let mustache: MustacheLibrary

    init() throws {
        MustacheContentTypes.register(ShownContent(), named: ShownContent.name)
        var mustache = MustacheLibrary()
        for name in Name.allCases {
            mustache.register(
                try MustacheTemplate(string: "{{% CONTENT_TYPE: \(ShownContent.name)}}\n" + Self.text(name)),
                named: name.rawValue
            )
        }
        self.mustache = mustache
    }

    /// There is no such template: the program is broken.
    struct Missing: Error { var name: Name }

    func render(_ model: any Sendable, with name: Name) throws -> String {
        guard let text = self.mustache.render(model, withTemplate: name.rawValue) else {
            throw Missing(name: name)
        }
        return text
    }

    static func text(_ name: Name) -> String {
        switch name {
        case .layout: self.layout
        case .standing: self.standing
        case .list: self.list
        case .listLive: self.listLive
        case .message: self.message
        case .messageLive: self.messageLive
        case .funnelRow: self.funnelRow
        case .curve: self.curve
        case .notice: self.notice
        }
    }
}
