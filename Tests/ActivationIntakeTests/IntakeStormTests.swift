import Testing
import WireFormats

@testable import Simulation

/// A slice of what `flotilla-lab simulate --streams --adversary` runs for hours: uploads and clicks of honest phones end in
/// time and are reported once, whatever somebody else uploads and clicks and whatever happens to workers.
struct IntakeStormTests {
    @Test(arguments: AdversaryKind.ofIntake)
    func honestPhonesAreReportedInTimeAndOnceWhatever(kind: AdversaryKind) {
        for seed in 0..<2 as Range<UInt64> {
            let complaints = IntakeStorm(seed: seed, kinds: [kind]).run()
            #expect(complaints == [], "seed \(seed)")
        }
    }

    @Test(arguments: 0..<4)
    func noPromiseBreaksWhateverComesTogether(lane: Int) {
        for seed in stride(from: lane, to: 8, by: 4) {
            let complaints = IntakeStorm(seed: UInt64(seed)).run()
            #expect(complaints == [], "seed \(seed)")
        }
    }

    @Test func aSeedRunsTheSameAgain() {
        let (first, second) = (IntakeStorm(seed: 5), IntakeStorm(seed: 5))
        #expect(first.run() == second.run())
        #expect(first.fingerprint == second.fingerprint)
        #expect(IntakeStorm(seed: 6).fingerprint != first.fingerprint)
    }

    /// A custom encryption makes the first, and no input of ours the others: liblz4 and libsnappy have them.
    @Test func theAdversaryHasAnUploadForEveryCode() {
        let codes = Set((SimulatedUpload.bad + SimulatedUpload.bombs).compactMap(\.code))
        let others: Set<SDKUploadFault> = [.crypt, .lz4Malformed, .snappyMalformed]
        #expect(codes == Set(Set(SDKUploadFault.allCases).subtracting(others).map(\.reason.code)))
    }

    @Test(arguments: SimulatedUpload.bad + SimulatedUpload.bombs)
    func everyBadUploadHasItsCode(upload: SimulatedUpload) {
        let request = SDKUploadRequest(
            method: upload.method,
            target: upload.target,
            headers: upload.headers.map { ($0.key, $0.value) },
            body: upload.body
        )
        let fault = #expect(throws: SDKUploadFault.self) { try SDKUpload(decoding: request) }
        #expect(fault?.reason.code == upload.code)
    }

    @Test(arguments: 0...2)
    func anHonestUploadIsRead(encoding: Int) throws {
        var phone = SimulatedPhone(7, startedAt: 1_750_000_000_000)
        phone.encoding = encoding
        let request = SDKUploadRequest(
            target: phone.upload.target,
            headers: phone.upload.headers.map { ($0.key, $0.value) },
            body: phone.upload.body
        )
        #expect(try SDKUpload(decoding: request).events.count == 2)
        #expect(try AdClick(query: Array(phone.click(secondsBefore: 3).utf8)).muid == phone.muid)
    }
}
