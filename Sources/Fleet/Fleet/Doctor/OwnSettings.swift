import ActivationIntake
import ActivationWorker
import DeviceCheckWorker
import Gateway
import Operations
import PushArrivalWorker
import ReceiptWorker
import ServiceKit
import UpstreamHTTP
import WorkerKit

/// All settings of a worker or the gateway, read as the program itself reads them: keys and certificates are parsed too.
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
        case Roster.intake.name: try self.check(path, by: IntakeProgram<StandardIntake>.self)
        case Roster.pushArrival.name: try self.check(path, by: PushArrivalProgram.self)
        case Roster.forwarder.name: try self.read(path, by: PushForwardProgram.self)
        default: try self.check(path, by: GatewayProgram.self)
        }
    }

    /// Reads the settings of a program that calls no upstream.
    private mutating func check(_ path: String, by program: any ConfiguredProgram.Type) throws {
        do {
            _ = try program.check(path: path)
            self.findings = [Self.good]
        } catch let faults as SettingsFaults {
            self.findings = faults.faults.map(Self.finding)
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
            self.findings.append(Self.good)
        } catch {
            self.findings = error.faults.map(Self.finding)
        }
    }

    private static let good = Finding(
        .good,
        "settings",
        saying: "no faults; keys and certificates can be read"
    )

    private static func finding(_ fault: SettingsFault) -> Finding {
        var plain = fault
        // The line says already that it is a warning.
        plain.severity = .fault
        return Finding(fault.severity == .warning ? .warning : .fault, "settings", saying: plain.description)
    }
}
