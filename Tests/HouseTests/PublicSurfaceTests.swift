import Foundation
import Testing
import WorkerTestSupport

/// The library products have a small surface that stays as it is. `PublicSurface.txt` has its declarations, so that no
/// change of them goes unnoticed.
struct PublicSurfaceTests {
    private static let rooms = ["FlotillaRecords", "FlotillaWorkerKit", "FlotillaWorkerTestKit"]
    private static let path = "Tests/HouseTests/PublicSurface.txt"
    private static let renewal = "FLOTILLA_RENEW_SURFACE"

    private static func declarations() throws -> [String] {
        let files = try SwiftFile.all(in: "Sources")
        return rooms.flatMap { room in
            files.filter { $0.path.hasPrefix("Sources/Shell/\(room)/") }
                .flatMap { PublicSurface(of: $0.text, in: room).declarations }.sorted()
        }
    }

    @Test func isTheCommittedOne() throws {
        let file = Documents.root.appending(path: Self.path)
        let declarations = try Self.declarations()
        #expect(declarations.count > 250)
        if ProcessInfo.processInfo.environment[Self.renewal] != nil {
            try Data((declarations.joined(separator: "\n") + "\n").utf8).write(to: file)
        }
        let committed = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        let changes = declarations.difference(from: committed)
        let shown = changes.map { change in
            switch change {
            case .insert(_, let line, _): "+ \(line)"
            case .remove(_, let line, _): "- \(line)"
            }
        }
        let message = """
            The public surface of the library products has changed:
            \(shown.joined(separator: "\n"))
            A line that goes or changes breaks packages that use it, and CHANGELOG.md must say so. If the change is \
            meant: \(Self.renewal)=1 swift test --filter PublicSurfaceTests writes \(Self.path) anew.
            """
        #expect(shown.isEmpty, "\(message)")
    }

    /// The rooms of the test are the library products of Package.swift.
    @Test func everyLibraryProductIsGuarded() throws {
        let manifest = try String(
            contentsOf: Documents.root.appending(path: "Package.swift"),
            encoding: .utf8
        )
        let products = manifest.matches(of: #/\.library\(name: "(\w+)"/#).map { String($0.1) }
        #expect(products.sorted() == Self.rooms)
    }

    @Test(arguments: [
        ("public import B\npublic struct A: Sendable {}", ["Room: struct A: Sendable"]),
        (
            "public func f(\n    _ a: Int\n) throws -> Int\nwhere A: B {",
            ["Room: func f(_ a: Int) throws -> Int where A: B"]
        ),
        (
            "public protocol A {\n    var a: Int { get }\n}",
            ["Room: protocol A", "Room A: requires var a: Int { get }"]
        ),
        (
            "public enum A {\n    case a\n    func f() {\n        case b\n",
            ["Room: enum A", "Room A: case a"]
        ),
        (
            "extension A: B {\n    public var a: Int { 1 }\n}",
            ["Room: extension A: B", "Room A: var a: Int { get }"]
        ),
        ("public var a: Int {\n    get { 1 }\n    set { }\n}", ["Room: var a: Int { get set }"]),
        ("package struct A {\n    public var a = 1\n}\npublic let b = 1", ["Room: let b = 1"]),
    ])
    func readsDeclarations(text: String, declarations: [String]) {
        #expect(PublicSurface(of: text, in: "Room").declarations == declarations)
    }
}
