import Mustache

/// The templates of all pages of a server, read once.
///
/// Every value is escaped on its way into a page, by `ShownContent`; as long as no template asks for one as it is,
/// there is no way for a text from outside to become a part of a page.
package struct PageTemplates: Sendable {
    private let mustache: MustacheLibrary

    /// - Parameter texts: by their names.
    package init(_ texts: some Sequence<(name: String, text: String)>) throws {
        MustacheContentTypes.register(ShownContent(), named: ShownContent.name)
        var mustache = MustacheLibrary()
        for (name, text) in texts {
            let template = "{{% CONTENT_TYPE: \(ShownContent.name)}}\n" + text
            mustache.register(try MustacheTemplate(string: template), named: name)
        }
        self.mustache = mustache
    }

    /// There is no such template: the program is broken.
    struct Missing: Error { var name: String }

    package func render(_ model: any Sendable, with name: String) throws -> String {
        guard let text = self.mustache.render(model, withTemplate: name) else { throw Missing(name: name) }
        return text
    }
}
