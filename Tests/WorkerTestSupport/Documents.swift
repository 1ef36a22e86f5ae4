package import Foundation

/// The Markdown documents of this repository, for tests that compare a document with the program that it describes.
///
/// A section stands between two HTML comments, the first of which names it. A test names the section and not the
/// file, so a document can be moved without a change of the test.
package enum Documents {
    /// The section is in no document, in two, or has no end.
    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    /// The text between `<!-- NAME -->` and the next `<!-- end -->`, without the line breaks beside the comments.
    ///
    /// - Parameter name: such as `settings: activation-worker`.
    /// - Throws: `Fault`, unless exactly one document has exactly one such section.
    package static func section(_ name: String) throws -> Substring {
        let marker = "<!-- \(name) -->\n"
        let found = try self.files().flatMap { file in
            try self.sections(after: marker, in: file)
        }
        guard let only = found.first, found.count == 1 else {
            let places = found.map(\.file).joined(separator: ", ")
            throw Fault(
                description: found.isEmpty
                    ? "no document has the line <!-- \(name) -->"
                    : "several documents have the line <!-- \(name) -->: \(places)"
            )
        }
        return only.text
    }

    /// The folder of the repository.
    package static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Every Markdown file of the repository. Hidden folders, such as those of builds, are left out.
    private static func files() throws -> [URL] {
        let top = try FileManager.default.contentsOfDirectory(at: Self.root, includingPropertiesForKeys: nil)
        return top.filter { !$0.lastPathComponent.hasPrefix(".") }.flatMap { entry -> [URL] in
            guard entry.pathExtension != "md" else { return [entry] }
            let inside = FileManager.default.enumerator(atPath: Self.path(of: entry))
            let paths = inside?.compactMap { $0 as? String } ?? []
            return paths.filter { $0.hasSuffix(".md") }.map { entry.appending(path: $0) }
        }
    }

    private static func path(of url: URL) -> String { url.path(percentEncoded: false) }

    private static func sections(
        after marker: String,
        in file: URL
    ) throws -> [(file: String, text: Substring)] {
        let text = try String(contentsOf: file, encoding: .utf8)
        return try text.ranges(of: marker).map { range in
            guard let end = text[range.upperBound...].firstRange(of: "\n<!-- end -->") else {
                let place = "\(Self.path(of: file)), \(marker.dropLast())"
                throw Fault(description: "\(place): the line <!-- end --> is missing")
            }
            return (Self.path(of: file), text[range.upperBound..<end.lowerBound])
        }
    }
}
