import Harness
import Terminal

/// The output of all workers' parts of the demo, in an order that can be read: the parts run side by side,
/// and are shown one after the other.
///
/// Each step has a page. The first page that is not complete is shown as its lines come; the lines of all
/// later pages are kept until their turn. Only the output waits: the steps themselves run on.
final class DemoOutput {
    /// The lines of one step.
    final class Page {
        fileprivate let name: String
        fileprivate var lines: [(text: String, ink: Ink)] = []
        fileprivate(set) var isComplete = false

        fileprivate init(_ name: String) { self.name = name }

        func line(_ text: String, _ ink: Ink = .plain) { self.lines.append((text, ink)) }

        /// Marks the page as complete, so that the next one can be shown.
        func complete() { self.isComplete = true }
    }

    private static let inks: [Ink] = [.cyan, .magenta, .blue, .yellow]

    let screen: Screen
    private let names: [String]
    private let nameWidth: Int
    private var pages: [Page] = []

    /// - Parameter names: the names of all workers' parts.
    init(_ screen: Screen, _ names: [String]) {
        self.screen = screen
        self.names = names
        self.nameWidth = (names.map(\.count).max() ?? 0) + 1
    }

    /// The number of columns of a line on a page.
    var width: Int { self.screen.width - self.nameWidth }

    /// The name at the head of a line, coloured and padded.
    func head(_ name: String) -> String {
        let ink = self.names.firstIndex(of: name).map { Self.inks[$0 % Self.inks.count] } ?? .plain
        let space = String(repeating: " ", count: max(0, self.nameWidth - name.count))
        return self.screen.paint(name, ink) + space
    }

    /// Adds a page for a step.
    func page(of name: String) -> Page {
        let page = Page(name)
        self.pages.append(page)
        return page
    }

    /// Prints the new lines of the first page, and continues with the next page once the first is complete.
    func turn() {
        while let page = self.pages.first {
            for line in page.lines {
                let text =
                    line.text.isEmpty ? "" : self.head(page.name) + self.screen.paint(line.text, line.ink)
                self.screen.line(text)
            }
            page.lines = []
            guard page.isComplete else { return }
            self.pages.removeFirst()
        }
    }
}
