import WebPages

/// The templates of all pages. Every template escapes every value; a test checks this.
struct Templates: Sendable {
    /// The names by which templates refer to each other.
    enum Name: String, CaseIterable {
        case layout, standing, list, listLive, message, messageLive, funnelRow, curve, comparison,
            comparisonLive, times, timesLive, timesRow, segments, segmentsLive, dayLinks, since, inputs,
            totals,
            notice
    }

    private let templates: PageTemplates

    /// Parses all templates.
    ///
    /// - Throws: an error of the first template that cannot be parsed.
    init() throws {
        self.templates = try PageTemplates(Name.allCases.map { (name: $0.rawValue, text: Self.text($0)) })
    }

    func render(_ model: any Sendable, with name: Name) throws -> String {
        try self.templates.render(model, with: name.rawValue)
    }

    /// Returns the text of a template.
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
        case .comparison: self.comparison
        case .comparisonLive: self.comparisonLive
        case .times: self.times
        case .timesLive: self.timesLive
        case .timesRow: self.timesRow
        case .segments: self.segments
        case .segmentsLive: self.segmentsLive
        case .dayLinks: self.dayLinks
        case .since: self.since
        case .inputs: self.inputs
        case .totals: self.totals
        case .notice: self.notice
        }
    }
}
