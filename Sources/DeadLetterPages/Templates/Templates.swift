import WebPages

/// All pages as templates. None asks for a value as it is, without escaping it: a test holds them to that.
struct Templates: Sendable {
    enum Name: String, CaseIterable {
        case layout, filter, pager, groups, letters, letter, plan, discard, batches, batch, audit, retention,
            message
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
        case .filter: self.filter
        case .pager: self.pager
        case .groups: self.groups
        case .letters: self.letters
        case .letter: self.letter
        case .plan: self.plan
        case .discard: self.discard
        case .batches: self.batches
        case .batch: self.batch
        case .audit: self.audit
        case .retention: self.retention
        case .message: self.message
        }
    }
}
