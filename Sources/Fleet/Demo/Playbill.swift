/// What is said of all acts, in an order that can be read: they go on side by side, and speak one after the other.
///
/// Each scene has a page. The first page that is not complete has the floor, and its lines are shown as they come; what
/// the other acts say meanwhile waits for its turn. Nobody waits for the floor with anything but words.
final class Playbill {
    final class Page {
        fileprivate let name: String
        fileprivate var lines: [(text: String, ink: Screen.Ink)] = []
        fileprivate(set) var isComplete = false

        fileprivate init(_ name: String) { self.name = name }

        func line(_ text: String, _ ink: Screen.Ink = .plain) { self.lines.append((text, ink)) }

        func complete() { self.isComplete = true }
    }

    private static let inks: [Screen.Ink] = [.cyan, .magenta, .blue, .yellow]

    let screen: Screen
    private let names: [String]
    private let nameWidth: Int
    private var pages: [Page] = []

    /// - Parameter names: of all who may speak.
    init(_ screen: Screen, _ names: [String]) {
        self.screen = screen
        self.names = names
        self.nameWidth = (names.map(\.count).max() ?? 0) + 1
    }

    /// The columns that a line of a page has.
    var width: Int { self.screen.width - self.nameWidth }

    /// The name at the head of a line.
    func head(_ name: String) -> String {
        let ink = self.names.firstIndex(of: name).map { Self.inks[$0 % Self.inks.count] } ?? .plain
        let space = String(repeating: " ", count: max(0, self.nameWidth - name.count))
        return self.screen.paint(name, ink) + space
    }

    func page(of name: String) -> Page {
        let page = Page(name)
        self.pages.append(page)
        return page
    }

    /// Shows what whoever has the floor has said since, and gives it to the next one once they have said all.
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
