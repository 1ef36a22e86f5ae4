import WebPages

/// All pages as templates. None asks for a value as it is, without escaping it: a test holds them to that.
struct Templates: Sendable {
    enum Name: String, CaseIterable {
        case layout, standing, list, listLive, message, messageLive, funnelRow, curve, notice
    }

    private let templates: PageTemplates

    init() throws {
        self.templates = try PageTemplates(Name.allCases.map { (name: $0.rawValue, text: Self.text($0)) })
    }

    func render(_ model: any Sendable, with name: Name) throws -> String {
        try self.templates.render(model, with: name.rawValue)
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
