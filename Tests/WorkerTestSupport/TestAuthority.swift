import Foundation

/// A certificate authority of a test's own, made by openssl. Its files live as long as this object.
package final class TestAuthority: Sendable {
    /// openssl has failed.
    package struct Failure: Error { package var output: String }

    private let folder: TemporaryFolder

    package init() throws {
        self.folder = try TemporaryFolder()
        try self.request(
            "ca",
            subject: "/CN=Test Authority",
            days: 2,
            ["-addext", "basicConstraints=critical,CA:TRUE"]
        )
    }

    /// The path of the authority's certificate.
    package var file: String { self.path("ca.pem") }

    /// Makes a certificate for a server on this machine and for clients.
    ///
    /// - Parameters:
    ///   - name: The name of its files; one for each certificate.
    ///   - subject: As openssl writes it, such as `/O=Example/CN=worker`.
    ///   - days: How long it is valid.
    /// - Returns: the paths of the certificate and of its key.
    package func certificate(_ name: String, subject: String, days: Int = 2) throws -> (
        file: String, key: String
    ) {
        try self.request(
            name,
            subject: subject,
            days: days,
            [
                "-CA", self.file, "-CAkey", self.path("ca.key"),
                "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost",
            ]
        )
        return (self.path("\(name).pem"), self.path("\(name).key"))
    }

    private func path(_ name: String) -> String { self.folder.file(name).path }

    private func request(_ name: String, subject: String, days: Int, _ more: [String]) throws {
        let output = Pipe()
        let process = try TestProcess(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-days", String(days), "-subj", subject,
                "-keyout", self.path("\(name).key"), "-out", self.path("\(name).pem"),
            ] + more,
            output: .pipe(output),
            error: .pipe(output)
        )
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        guard process.wait() == 0 else { throw Failure(output: text) }
    }
}
