import Foundation
import Testing
import WorkerTestSupport

/// Imports go down the floors of `Sources` and never up, and no production program links the lab.
struct FloorsTests {
    /// The floors from the ground up. A room may import rooms of its own floor and of the floors below it.
    private static let floors = [
        "System", "Clients", "Wire", "Operations", "Engine", "Workers", "DeadLetters", "Fleet", "Lab",
        "Shell",
    ]

    /// A folder of a floor with Swift or C sources: a library, or a program.
    private struct Room {
        var floor: String
        var folder: URL
    }

    private static func folders(in folder: URL) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: folder,
            includingPropertiesForKeys: [.isDirectoryKey]
        )
        .filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true }
        .sorted { $0.path() < $1.path() }
    }

    /// The rooms by their names.
    private static func rooms() throws -> [String: Room] {
        var rooms: [String: Room] = [:]
        for floor in try self.folders(in: Documents.root.appending(path: "Sources")) {
            for folder in try self.folders(in: floor) {
                let isPrograms = folder.lastPathComponent == "Programs"
                for room in isPrograms ? try self.folders(in: folder) : [folder] {
                    rooms[room.lastPathComponent] = Room(floor: floor.lastPathComponent, folder: room)
                }
            }
        }
        return rooms
    }

    private static func height(of floor: String) throws -> Int {
        try #require(self.floors.firstIndex(of: floor), "Sources/\(floor) is no floor of the design")
    }

    /// The modules that a room imports, in any way.
    private static func imports(of room: Room) throws -> Set<String> {
        let files = FileManager.default.enumerator(atPath: room.folder.path())?.compactMap { $0 as? String }
        var imports: Set<String> = []
        for file in files ?? [] where file.hasSuffix(".swift") {
            let text = try String(contentsOf: room.folder.appending(path: file), encoding: .utf8)
            for line in text.matches(of: #/(?m)^\s*(?:@\w+(?:\(\w+\))?\s+)*(?:\w+\s+)?import\s+(\w+)/#) {
                imports.insert(String(line.1))
            }
        }
        return imports
    }

    private static func text(of file: String) throws -> String {
        try String(contentsOf: Documents.root.appending(path: file), encoding: .utf8)
    }

    /// For each target of Package.swift, the names of the targets and products that it depends on.
    private static func dependencies() throws -> [String: Set<String>] {
        let manifest = try self.text(of: "Package.swift")
        let start =
            #/(?m)^ {8}(?:\.target|\.systemLibrary|\.executableTarget|room|program)\(\s*(?:name: )?"([\w-]+)"/#
        var dependencies: [String: Set<String>] = [:]
        for match in manifest.matches(of: start) {
            let arguments = try self.arguments(from: match.range.upperBound, in: manifest)
            let list = arguments.firstMatch(of: #/(?s)dependencies:\s*\[(.*?)\]/#)?.1 ?? ""
            let room = arguments.firstMatch(of: #/of: "(\w+)"/#).map { [String($0.1)] } ?? []
            dependencies[String(match.1)] = Set(list.matches(of: #/"([\w-]+)"/#).map { String($0.1) } + room)
        }
        return dependencies
    }

    /// The text from a place within a call up to the call's closing parenthesis.
    private static func arguments(from start: String.Index, in text: String) throws -> Substring {
        var depth = 1
        for index in text[start...].indices {
            if text[index] == "(" { depth += 1 }
            if text[index] == ")" { depth -= 1 }
            if depth == 0 { return text[start..<index] }
        }
        throw Unclosed()
    }

    private struct Unclosed: Error {}

    @Test func everyRoomStandsOnAFloorOfTheDesign() throws {
        let rooms = try Self.rooms()
        #expect(rooms.count >= 30)
        for room in rooms.values { _ = try Self.height(of: room.floor) }
        let targets = Set(try Self.dependencies().keys)
        #expect(Set(rooms.keys).subtracting(targets) == [], "rooms that Package.swift does not name")
    }

    /// Package.swift cannot be read where a target's folder is missing, and so nothing is built there.
    @Test func theImageIsBuiltWithTheFolderOfEachTarget() throws {
        let ignored = try Self.text(of: ".dockerignore")
        let kept = ignored.split(separator: "\n").filter { $0.hasPrefix("!") }.map { $0.dropFirst() }
        let folders = try Self.text(of: "Package.swift").matches(of: #/path: "([^"]+)"/#).map { $0.1 }
        #expect(folders.count > 1)
        for folder in folders {
            #expect(kept.contains { folder == $0 || folder.hasPrefix("\($0)/") }, "\(folder)")
        }
        let scripts = try [
            "Deploy/Containerfile", "Deploy/build", "Deploy/install-packages", "Deploy/version",
        ]
        .flatMap { try Self.text(of: $0).split(separator: "\n").filter { !$0.hasPrefix("#") } }
        .flatMap { $0.matches(of: #/\bDeploy\/[a-z-]+/#).map(\.output) }
        #expect(Set(scripts).count >= 3)
        for script in Set(scripts) { #expect(kept.contains(script), "\(script)") }
    }

    @Test func nothingImportsUpwards() throws {
        let rooms = try Self.rooms()
        let dependencies = try Self.dependencies()
        for (name, room) in rooms {
            let height = try Self.height(of: room.floor)
            for other in try Self.imports(of: room).union(dependencies[name] ?? []) {
                guard let floor = rooms[other]?.floor else { continue }
                let isAbove = try Self.height(of: floor) > height
                #expect(!isAbove, "\(room.floor)/\(name) imports \(floor)/\(other), which is above it")
            }
        }
    }

    @Test func noProductionProgramLinksTheLab() throws {
        let rooms = try Self.rooms()
        let dependencies = try Self.dependencies()
        let programs = [
            "activation-worker", "devicecheck-worker", "receipt-worker", "push-arrival-worker",
            "gateway", "dead-letters", "fleet", "flotilla",
        ]
        for program in programs {
            var linked: Set<String> = []
            var open = [program]
            while let name = open.popLast() {
                guard linked.insert(name).inserted else { continue }
                open += try #require(dependencies[name], "Package.swift has no target \(name)")
                    .filter { rooms[$0] != nil }
            }
            #expect(linked.count > 5)
            #expect(linked.filter { rooms[$0]?.floor == "Lab" } == [], "\(program) links the lab")
        }
    }

    @Test func noShellLinksTheLabOutsideItsTests() throws {
        let rooms = try Self.rooms()
        let dependencies = try Self.dependencies()
        for product in ["FlotillaRecords", "FlotillaWorkerKit"] {
            var linked: Set<String> = []
            var open = [product]
            while let name = open.popLast() {
                guard linked.insert(name).inserted else { continue }
                open += (dependencies[name] ?? []).filter { rooms[$0] != nil }
            }
            #expect(linked.count > 3)
            #expect(linked.filter { rooms[$0]?.floor == "Lab" } == [], "\(product) links the lab")
        }
    }

    @Test func noWorkerImportsAnother() throws {
        let workers = [
            "ActivationWorker", "DeviceCheckWorker", "ReceiptWorker", "PushArrivalWorker", "Gateway",
        ]
        let rooms = try Self.rooms()
        for name in workers {
            let others = try Self.imports(of: #require(rooms[name])).intersection(workers)
            #expect(others.subtracting([name]) == [], "\(name) imports another worker")
        }
    }
}
