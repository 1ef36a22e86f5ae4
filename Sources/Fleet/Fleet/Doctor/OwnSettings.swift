import ActivationWorker
import DeviceCheckWorker
import Operations
import ReceiptWorker
import ServiceKit
import UpstreamHTTP
import WorkerKit

/// All settings of a worker, read as the worker itself reads them: keys and certificates are parsed too.
struct OwnSettings {
    /// The faults and remarks, each with its place.
    private(set) var findings: [Finding] = []
    /// The upstreams, by the name of the setting.
    private(set) var urls: [(key: String, url: String)] = []
    /// The certificate authorities of the upstreams; nil for those of the system.
    private(set) var certificateAuthorityFile: String?
    /// How long after its timestamp a record may still be called for; nil for a worker that calls nothing.
    private(set) var deadline: Duration?

    /// Reads the settings of a worker.
    ///
    /// - Throws: `SettingsFaults` if the file cannot be read.
    init(_ path: String, of worker: String) throws {
        switch worker {
        case Roster.activation.name: try self.read(path, by: ActivationProgram.self)
        case Roster.deviceCheck.name: try self.read(path, by: DeviceCheckProgram.self)
        case Roster.receipt.name: try self.read(path, by: ReceiptProgram.self)
        default:
            let command = worker == Roster.intake.name ? "activation-worker intake" : worker
            self.findings = [
                Finding(
                    .unchecked,
                    "settings",
                    saying:
                        "those that only this program has; '\(command) check-config --config \(path)' checks them"
                )
            ]
        }
    }

    private mutating func read<Program: WorkerProgram>(_ path: String, by program: Program.Type) throws {
        let reader = SettingsReader(file: try SettingsFile(path: path))
        let settings = WorkerSettings(reader, Program.identity)
        _ = Program.handler(reader, settings.engine)
        self.urls = reader.urls
        self.certificateAuthorityFile = settings.http.certificateAuthorityFile
        self.deadline = settings.engine.deadline
        do throws(SettingsFaults) {
            self.findings = try reader.finish().map(Self.finding)
            self.findings.append(
                Finding(.good, "settings", saying: "no faults; keys and certificates can be read")
            )
        } catch {
            self.findings = error.faults.map(Self.finding)
        }
    }

    private static func finding(_ fault: SettingsFault) -> Finding {
        var plain = fault
        // The line says already that it is a warning.
        plain.severity = .fault
        return Finding(fault.severity == .warning ? .warning : .fault, "settings", saying: plain.description)
    }
}
