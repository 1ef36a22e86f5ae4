import WebPages

/// The templates of all pages, as Mustache. A test checks that no template asks for a value without escaping
/// it.
struct Templates: Sendable {
    /// The templates by name.
    enum Name: String, CaseIterable {
        case layout, filter, pager, groups, letters, letter, edit, mend, plan, how, notes, aside, batches,
            batch, parked, audit, retention, message
    }

    private let templates: PageTemplates

    /// Reads all templates.
    ///
    /// - Throws: the error of a template that is not valid Mustache.
    init() throws {
        self.templates = try PageTemplates(Name.allCases.map { (name: $0.rawValue, text: Self.text($0)) })
    }

    /// Renders a template with the values of a model.
    ///
    /// - Throws: `PageTemplates.Missing` if the template is unknown.
    func render(_ model: any Sendable, with name: Name) throws -> String {
        try self.templates.render(model, with: name.rawValue)
    }

    /// Returns the text of a template.
    static func text(_ name: Name) -> String {
        switch name {
        case .layout: self.layout
        case .filter: self.filter
        case .pager: self.pager
        case .groups: self.groups
        case .letters: self.letters
        case .letter: self.letter
        case .edit: self.edit
        case .mend: self.mend
        case .plan: self.plan
        case .how: self.how
        case .notes: self.notes
        case .aside: self.aside
        case .batches: self.batches
        case .batch: self.batch
        case .audit: self.audit
        case .parked: self.parked
        case .retention: self.retention
        case .message: self.message
        }
    }
}
