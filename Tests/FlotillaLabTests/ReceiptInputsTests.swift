import Records
import ServiceKit
import Testing
import WireFormats

@testable import Harness
@testable import Rehearsal
@testable import Trials

struct ReceiptInputsTests {
    private static func drawn(at time: Duration, _ count: Int) -> [LoadInput] {
        var random = SplitMix64(seed: 7)
        var inputs = ReceiptInputs(topic: "receipt", dead: .seconds(12)..<(.seconds(48)))
        return (0..<count).map { _ in inputs.next(at: time, using: &random) }
    }

    @Test(arguments: [(0, 10), (12, 75), (47, 75), (48, 10)])
    func mostAreForTheSandboxWhileItIsDead(second: Int, percent: Int) {
        let inputs = Self.drawn(at: .seconds(second), 2_000)
        let sandbox = inputs.filter { $0.kind == .sandboxPurchase }
        #expect(abs(sandbox.count - 20 * percent) < 100)
        let large = sandbox.count { ($0.record.value?.count ?? 0) > ReceiptInputs.ballast }
        #expect(large == (second == 0 || second == 48 ? 0 : ReceiptInputs.largeLimit))
    }

    /// Nothing but the fleet may delay an honest user.
    @Test func honestUsersShareNoKeyWithTheOthers() {
        let inputs = Self.drawn(at: .seconds(20), 5_000)
        for input in inputs { #expect(input.isHonest == (input.kind == .purchase)) }
        let honest = Set(inputs.filter(\.isHonest).map(\.key))
        let others = Set(inputs.filter { !$0.isHonest }.map(\.key))
        #expect(honest.isDisjoint(with: others) && honest.count > 400 && others.count == 50)
        #expect(honest.union(others).allSatisfy { (0..<ReceiptInputs.keys).contains($0) })
    }

    @Test func eachIsAReceiptForItsOwnEnvironment() throws {
        for input in Self.drawn(at: .seconds(20), 100) {
            let record = InboundRecord(
                topic: "receipt",
                partition: 0,
                offset: 0,
                timestamp: nil,
                key: nil,
                value: input.record.value,
                headers: input.record.headers
            )
            let receipt = try Receipt(decoding: record)
            #expect(receipt.hint == (input.kind == .purchase ? .production : .sandbox))
            #expect(!receipt.text.isEmpty && receipt.header.bundleID == ReceiptInputs.bundleID)
        }
    }
}
