import Foundation
import Testing
import WorkerTestSupport

/// An HTTP/2 server that is none of ours: nghttpd, which answers every request for a path with the file of that name,
/// over TLS with a certificate that it has signed itself, for the name "localhost".
final class HTTP2Server {
    /// The certificate that a client has to trust.
    let certificate: String
    let port: Int
    private let folder: TemporaryFolder
    private let process: TestProcess
    private let output: ProcessOutput

    /// - Parameter answers: the bodies, by their paths.
    init(answers: [String: String]) throws {
        self.folder = try TemporaryFolder()
        self.output = try ProcessOutput()
        let (key, certificate) = (self.folder.file("key.pem"), self.folder.file("cert.pem"))
        self.certificate = certificate.path
        let root = self.folder.file("root")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        for (path, body) in answers {
            let file = root.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(body.utf8).write(to: file)
        }
        try Self.makeCertificate(key.path, certificate.path)
        self.process = try TestProcess(
            "nghttpd",
            [
                "--verbose", "--address=127.0.0.1", "--htdocs=\(root.path)", "0", key.path,
                certificate.path,
            ],
            output: .pipe(self.output.pipe),
            error: .pipe(self.output.pipe)
        )
        guard self.output.wait(for: "listen 127.0.0.1"), let port = Self.port(of: self.process.id)
        else { throw Failure(log: self.output.text) }
        self.port = port
    }

    struct Failure: Error { var log: String }

    deinit {
        self.process.send(SIGKILL)
        self.process.wait()
    }

    /// Everything that it has received and sent, frame by frame.
    var log: String { self.output.text }

    /// Waits until it has told of this.
    func waitForLog(_ words: String) -> Bool { self.output.wait(for: words) }

    private static func makeCertificate(_ key: String, _ certificate: String) throws {
        let openssl = try TestProcess(
            "openssl",
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
                + ["-days", "1", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
                + ["-keyout", key, "-out", certificate]
        )
        guard openssl.wait() == 0 else { throw Failure(log: "openssl made no certificate") }
    }

    /// The port on which a process listens. nghttpd was told to take any, and does not say which.
    private static func port(of process: Int32) -> Int? {
        let files = "/proc/\(process)/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: files)) ?? []
        let inodes = names.compactMap { name -> String? in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(files)/\(name)")
            guard let target, target.hasPrefix("socket:[") else { return nil }
            return String(target.dropFirst("socket:[".count).dropLast())
        }
        let table = (try? String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)) ?? ""
        for line in table.split(separator: "\n").dropFirst() {
            let fields = line.split(separator: " ")
            // The state 0A is LISTEN; the address is "0100007F:9A3B".
            guard fields.count > 9, fields[3] == "0A", inodes.contains(String(fields[9])) else { continue }
            return fields[1].split(separator: ":").last.flatMap { Int($0, radix: 16) }
        }
        return nil
    }
}
