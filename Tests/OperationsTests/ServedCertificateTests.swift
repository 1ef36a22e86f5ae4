import Foundation
import Operations
import ServerTLS
import Testing
import WorkerTestSupport

struct ServedCertificateTests {
    private let folder: TemporaryFolder
    private let authority: TestAuthority

    init() throws {
        self.folder = try TemporaryFolder()
        self.authority = try TestAuthority()
    }

    private var files: ServerCertificate {
        ServerCertificate(
            certificateFile: self.folder.file("cert.pem").path,
            keyFile: self.folder.file("key.pem").path
        )
    }

    /// Puts a new certificate where the server looks for it.
    private func issue(_ name: String, days: Int, parts: Set<String> = ["cert.pem", "key.pem"]) throws {
        let made = try self.authority.certificate(name, subject: "/CN=localhost", days: days)
        for (part, path) in [("cert.pem", made.file), ("key.pem", made.key)] where parts.contains(part) {
            let content = try Data(contentsOf: URL(fileURLWithPath: path))
            _ = try self.folder.write(Array(content), to: part)
        }
    }

    private static func days(_ certificate: ServedCertificate) -> Int {
        Int((Double(certificate.expires) - Date().timeIntervalSince1970) / 86_400 + 0.5)
    }

    @Test func takesUpANewPair() throws {
        try self.issue("first", days: 3)
        let certificate = try ServedCertificate(self.files)
        #expect(Self.days(certificate) == 3)
        try self.issue("second", days: 9)
        for file in certificate.watchedFiles { try file.use(try SecretFile(path: file.path).read()) }
        #expect(Self.days(certificate) == 9)
    }

    /// Whichever comes first, a half does nothing, and the other half brings both.
    @Test(arguments: ["cert.pem", "key.pem"])
    func waitsForBothHalves(first: String) throws {
        try self.issue("first", days: 3)
        let certificate = try ServedCertificate(self.files)
        let watched = certificate.watchedFiles
        try self.issue("second", days: 9, parts: [first])
        for file in watched {
            #expect(throws: (any Error).self) { try file.use(try SecretFile(path: file.path).read()) }
        }
        #expect(Self.days(certificate) == 3)
        try self.issue("third", days: 20)
        try watched[0].use(try SecretFile(path: watched[0].path).read())
        #expect(Self.days(certificate) == 20)
    }

    @Test func keepsItsCertificateWhenAFileIsNone() throws {
        try self.issue("first", days: 3)
        let certificate = try ServedCertificate(self.files)
        _ = try self.folder.write("no certificate", to: "cert.pem")
        for file in certificate.watchedFiles {
            #expect(throws: (any Error).self) { try file.use(try SecretFile(path: file.path).read()) }
        }
        #expect(Self.days(certificate) == 3)
    }

    @Test func refusesFilesThatDoNotBelongTogether() throws {
        try self.issue("first", days: 3)
        try self.issue("second", days: 9, parts: ["key.pem"])
        #expect(throws: (any Error).self) { try ServedCertificate(self.files) }
        #expect(throws: SecretFile.Failure.self) {
            try ServedCertificate(ServerCertificate(certificateFile: "/nonexistent", keyFile: "/nonexistent"))
        }
    }
}
