package import Foundation

/// A command of a worker's executable, as a process that runs to its end.
package struct WorkerCommand {
    package let status: Int32
    package let output: String
    package let complaints: String

    /// The lines of standard output.
    package var lines: [String] {
        self.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    /// The lines of standard output as the JSON objects that they are.
    package var objects: [NSDictionary] {
        self.lines.map {
            (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? NSDictionary ?? [:]
        }
    }

    /// Runs a command with the settings in `{settings}` of its arguments, and other files beside them.
    package init(
        _ executable: String,
        _ arguments: [String],
        settings: String,
        files: [String: [UInt8]] = [:],
        input: [UInt8] = [],
        environment: [String: String] = [:]
    ) throws {
        let folder = try TemporaryFolder()
        for (name, bytes) in files { _ = try folder.write(bytes, to: name) }
        let file = try folder.write(Array(settings.utf8), to: "settings.yaml")
        let complaints = try folder.write([], to: "complaints")
        let output = Pipe()
        let process = try Self.process(
            executable,
            arguments.map { $0.replacing("{settings}", with: file.path) },
            environment,
            input: .file(try FileHandle(forReadingFrom: try folder.write(input, to: "input"))),
            output: .pipe(output),
            error: .file(try FileHandle(forWritingTo: complaints))
        )
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        self.status = process.wait()
        self.output = String(decoding: bytes, as: UTF8.self)
        // The path is another one every time.
        self.complaints = String(decoding: try Data(contentsOf: complaints), as: UTF8.self)
            .replacing(file.path, with: "{settings}")
    }

    /// A process of the worker with nothing of this one's environment that could be a setting.
    package static func process(
        _ executable: String,
        _ arguments: [String],
        _ environment: [String: String] = [:],
        input: TestProcess.Stream = .null,
        output: TestProcess.Stream = .null,
        error: TestProcess.Stream = .null
    ) throws -> TestProcess {
        let own = ProcessInfo.processInfo.environment
        return try TestProcess(
            try Self.url(of: executable).path,
            arguments,
            environment: own.filter { ["PATH", "LD_LIBRARY_PATH", "ASAN_OPTIONS"].contains($0.key) }
                .merging(environment) { $1 },
            input: input,
            output: output,
            error: error
        )
    }

    /// This package's executables are beside the test runner.
    private static func url(of executable: String) throws -> URL {
        struct NotBuilt: Error { var looked: [URL] }
        let runners = [
            URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath(),
            URL(fileURLWithPath: CommandLine.arguments.first ?? ""),
        ]
        let candidates = runners.map {
            $0.deletingLastPathComponent().appendingPathComponent(executable)
        }
        guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) })
        else { throw NotBuilt(looked: candidates) }
        return found
    }
}
