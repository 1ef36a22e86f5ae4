import Foundation
import Testing
import UpstreamHTTP
import WorkerTestSupport

/// A server with a certificate that nobody has signed but itself, for the name "localhost" only.
private final class TLSServer {
    let certificate: String
    let port: String
    private let folder: TemporaryFolder
    private let process: TestProcess
    /// The server ends with its standard input.
    private let input: Pipe

    init() throws {
        let folder = try TemporaryFolder()
        let certificate = folder.file("certificate.pem").path
        let key = folder.file("key.pem").path
        let make = try Self.openssl(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=localhost "
                + "-addext subjectAltName=DNS:localhost -keyout \(key) -out \(certificate)"
        )
        make.process.wait()
        let server = try Self.openssl("s_server -accept 127.0.0.1:0 -www -cert \(certificate) -key \(key)")
        var said = ""
        while !said.contains("\n") || !said.contains("ACCEPT ") {
            let some = server.output.fileHandleForReading.availableData
            if some.isEmpty { break }
            said += String(decoding: some, as: UTF8.self)
        }
        // "ACCEPT 127.0.0.1:41234"
        self.port = try #require(said.split(separator: ":").last).trimmingCharacters(in: .newlines)
        self.certificate = certificate
        self.folder = folder
        self.process = server.process
        self.input = server.input
    }

    deinit {
        self.process.send(SIGKILL)
        self.process.wait()
    }

    private static func openssl(
        _ arguments: String
    ) throws -> (process: TestProcess, input: Pipe, output: Pipe) {
        let (input, output) = (Pipe(), Pipe())
        let process = try TestProcess(
            "openssl",
            arguments.split(separator: " ").map(String.init),
            input: .pipe(input),
            output: .pipe(output)
        )
        return (process, input, output)
    }
}

/// Whom the client believes.
struct TLSTests {
    @Test func believesOnlyTheConfiguredAuthorityAndOnlyForItsName() throws {
        let server = try TLSServer()
        let byDefault = try HTTPClient(HTTPClientSettings())
        let trusting = try HTTPClient(HTTPClientSettings(certificateAuthorityFile: server.certificate))

        let stranger = try #require(byDefault.get("https://localhost:\(server.port)/").error)
        #expect(stranger.kind == .tls)
        #expect(!stranger.mayHaveBeenSent)

        #expect(try trusting.get("https://localhost:\(server.port)/").get().status == 200)

        let misnamed = try #require(trusting.get("https://127.0.0.1:\(server.port)/").error)
        #expect(misnamed.kind == .tls)
        #expect(!misnamed.mayHaveBeenSent)
    }

    /// An authority that is replaced in its file counts for new connections without a restart.
    @Test func aChangedFileOfAuthoritiesIsReadAgain() throws {
        let (server, other) = (try TLSServer(), try TLSServer())
        let folder = try TemporaryFolder()
        let file = folder.file("authorities.pem")
        try Data(contentsOf: URL(fileURLWithPath: other.certificate)).write(to: file)
        let client = try HTTPClient(HTTPClientSettings(certificateAuthorityFile: file.path))
        let url = "https://localhost:\(server.port)/"
        let stranger = try client.get(url).error
        #expect(stranger?.kind == .tls)
        try Data(contentsOf: URL(fileURLWithPath: server.certificate)).write(to: file, options: .atomic)
        let deadline = ContinuousClock.now + .seconds(120)
        var isBelieved = false
        while !isBelieved, ContinuousClock.now < deadline {
            isBelieved = (try? client.get(url).get().status) == 200
        }
        #expect(isBelieved)
    }

    /// `fleet doctor` looks at upstreams in this way.
    @Test func aProbeShakesHandsAndSendsNothing() throws {
        let server = try TLSServer()
        let url = "https://localhost:\(server.port)/"
        let probe = try ServerProbe(url, longest: .seconds(10), certificateAuthorityFile: server.certificate)
        let certificate = try String(contentsOfFile: server.certificate, encoding: .utf8)
        let told = try #require(probe.certificates.first)
        #expect(certificate.contains(told.trimmingCharacters(in: .whitespacesAndNewlines)))
        let stranger = #expect(throws: TransferError.self) { try ServerProbe(url, longest: .seconds(10)) }
        #expect(stranger?.kind == .tls)
    }

    @Test func aProbeSaysThatNobodyListens() {
        let error = #expect(throws: TransferError.self) {
            try ServerProbe("http://127.0.0.1:1/", longest: .seconds(5))
        }
        #expect(error?.kind == .connect)
    }

    @Test func fallsBackToHTTP1WhereTheServerKnowsNoOther() throws {
        let server = try TLSServer()
        let client = try HTTPClient(
            HTTPClientSettings(httpVersion: .http2, certificateAuthorityFile: server.certificate)
        )
        #expect(try client.get("https://localhost:\(server.port)/").get().status == 200)
    }

    @Test func namesAServerThatSpeaksNoTLS() throws {
        let server = TestServer { $0.send(ok()) }
        defer { server.stop() }
        let error = try #require(HTTPClient(HTTPClientSettings()).get(server.url(scheme: "https")).error)
        #expect(error.kind == .tls || error.kind == .connect, "\(error)")
        #expect(!error.mayHaveBeenSent)
    }
}
