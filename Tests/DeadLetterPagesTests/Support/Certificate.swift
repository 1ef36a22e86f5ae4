import DeadLetterPages
import Foundation
import ServerTLS
import WorkerTestSupport

/// A certificate that signs itself, made by openssl, and a client that knows it.
struct Certificate: Sendable {
    struct Failure: Error {
        var output: String
    }

    private let folder: URL

    init(in folder: TemporaryFolder) throws {
        self.folder = folder.url
        _ = try Self.run(
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=localhost",
            "-addext",
            "subjectAltName=DNS:localhost",
            "-keyout",
            self.path("key.pem"),
            "-out",
            self.path("cert.pem")
        )
    }

    var settings: PagesSettings.TLS {
        PagesSettings.TLS(certificateFile: self.path("cert.pem"), keyFile: self.path("key.pem"))
    }

    private func path(_ name: String) -> String { self.folder.appendingPathComponent(name).path }

    /// Head and body.
    func fetch(_ url: String) throws -> String {
        try Self.run(
            "curl",
            "--silent",
            "--show-error",
            "--include",
            "--max-time",
            "20",
            "--cacert",
            self.path("cert.pem"),
            url
        )
    }

    private static func run(_ command: String...) throws -> String {
        let output = Pipe()
        let process = try TestProcess(
            command[0],
            Array(command.dropFirst()),
            output: .pipe(output),
            error: .pipe(output)
        )
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        guard process.wait() == 0 else { throw Failure(output: text) }
        return text
    }
}
