import Mustache

/// The templates of all pages of a server, parsed once.
///
/// `ShownContent` escapes every value that enters a page. As long as no template asks for an unescaped value,
/// no text from outside can become HTML of a page.
package struct PageTemplates: Sendable {
    private let mustache: MustacheLibrary

    /// Parses the templates.
    ///
    /// - Parameter texts: the templates with their names, under which they can include one another.
    /// - Throws: the error of a template that is not valid Mustache.
    package init(_ texts: some Sequence<(name: String, text: String)>) throws {
        MustacheContentTypes.register(ShownContent(), named: ShownContent.name)
        var mustache = MustacheLibrary()
        for (name, text) in texts {
            let template = "{{% CONTENT_TYPE: \(ShownContent.name)}}\n" + text
            mustache.register(try MustacheTemplate(string: template), named: name)
        }
        self.mustache = mustache
    }

    /// The program asks for a template that does not exist, which is a fault of the program.
    struct Missing: Error { var name: String }

    /// Renders a template with the values of a model.
    ///
    /// - Throws: `Missing` if there is no template of this name.
    package func render(_ model: any Sendable, with name: String) throws -> String {
        guard let text = self.mustache.render(model, withTemplate: name) else { throw Missing(name: name) }
        return text
    }
}
