import Fleet
import Foundation
import Harness
import ServiceKit
import Terminal
import UpstreamSimulator
import WireMessages
import WorkerKit

/// The demo of the DeviceCheck worker: the two bits that Apple keeps for each device.
final class DeviceCheckDemo: WorkerDemo {
    static let teamID = "DEMOTEAM01"
    private static let keyID = "DEMOKEY001"
    private static let keyName = "devicecheck-key.p8"
    private static let publicKeyName = "devicecheck-key.pem"

    let worker = Roster.deviceCheck
    let upstream: String? = "DeviceCheck"
    let results: any WorkerResult.Type = Flotilla_Devicecheck_V1_DeviceCheckResult.self
    private let folder: TemporaryFolder
    private var make = DeviceChecks(topic: Roster.deviceCheck.topic, teamID: teamID, now: 0)
    private var steps = 0

    /// Makes a key pair for this run, and writes both keys into the folder.
    init(in folder: TemporaryFolder) throws(Complaint) {
        self.folder = folder
        guard let key = IssuedKey() else { throw Complaint("no key for DeviceCheck could be made") }
        try folder.write(key.privatePEM, to: Self.keyName)
        try folder.write(key.publicPEM, to: Self.publicKeyName)
    }

    var upstreamWords: [String] {
        ["--team", "\(Self.teamID):\(Self.keyID):\(self.folder.file(Self.publicKeyName))"]
    }

    func write(to name: String, brokers: String, upstream: String, worker: [String]) throws(Complaint) {
        let text = """
            \(WorkerFile.common(brokers: brokers, worker: worker))\
            devicecheck:
              production_url: \(upstream)
              development_url: \(upstream)/development
              teams:
                - team_id: \(Self.teamID)
                  key_id: \(Self.keyID)
                  key_file: \(Self.keyName)

            """
        try self.folder.write(text, to: name)
    }

    func nextStep(now: Int64) -> DemoStep? {
        defer { self.steps += 1 }
        self.make.now = now
        switch self.steps {
        case 0: return DemoStep("Bits asked for and set, in the order of their key", self.make.good())
        case 1: return DemoStep("Refused tokens, and what comes too late", self.make.refused())
        case 2: return DemoStep("Wrong records: dead letters, and no call", self.make.malformed())
        case 3:
            return DemoStep(
                "Trouble on the way: while the token is good, try again",
                faults: DeviceChecks.troubles,
                self.make.troubled()
            )
        default: return nil
        }
    }

    private static let bits = "/control/bits"

    var questions: [String] { [Self.bits] }

    func claims(_ register: Register, _ answers: UpstreamAnswers) -> [Claim] {
        let found = answers.read([DeviceCheckSimulator.Device].self, at: Self.bits)
        let expected = self.make.bits
        var claim = Claim(
            text: "the bits of \(expected.count) devices are as last set, and nobody else has any",
            objections: []
        )
        guard let found else {
            claim.objections = ["DeviceCheck was not asked for its bits"]
            return [claim]
        }
        let texts = Dictionary(found.map { ("\($0.environment)/\($0.device)", [$0.bit0, $0.bit1]) }) { $1 }
        for device in Set(texts.keys).union(expected.keys).sorted() where texts[device] != expected[device] {
            claim.objections.append(
                "\(device) should have \(Self.text(expected[device])) and has \(Self.text(texts[device]))"
            )
        }
        return [claim]
    }

    private static func text(_ bits: [Bool]?) -> String {
        bits.map { "the bits \($0.map { $0 ? "1" : "0" }.joined(separator: " "))" } ?? "no bits"
    }
}
