import Foundation
import Logging
import Operations
import Testing
import WorkerTestSupport

@testable import ServiceKit

struct OperatorDeskTests {
    private let level = LogLevelSwitch(.info)

    private func desk(keptIn path: String? = nil) throws -> OperatorDesk {
        let desk = try OperatorDesk(keptIn: path, level: self.level)
        desk.begin(.calls(endpoints: ["gdt", "callback"], concurrency: 64))
        return desk
    }

    @Test func whatIsChosenHoldsUntilItIsTakenBack() throws {
        let desk = try self.desk()
        let version = desk.version
        try desk.carryOut(.pause(.lane("1")))
        try desk.carryOut(.pause(.endpoint("gdt")))
        try desk.carryOut(.concurrency(8))
        #expect(desk.version == version + 3)
        #expect(desk.orders.choices.lanes == ["1"] && desk.orders.choices.endpoints == ["gdt"])
        #expect(desk.orders.choices.concurrency == 8)
        try desk.carryOut(.resume(.lane("1")))
        try desk.carryOut(.resume(.endpoint("gdt")))
        try desk.carryOut(.concurrency(nil))
        #expect(desk.choices == OperatorChoices())
    }

    @Test func theLogFollowsTheLevel() throws {
        let desk = try self.desk()
        try desk.carryOut(.logLevel(.debug))
        #expect(self.level.level == .debug)
        try desk.carryOut(.logLevel(nil))
        #expect(self.level.level == .info)
    }

    /// An order that is repeated begins the log anew, so an engine has to see that it is another.
    @Test func eachOrderToLogCallsIsAnother() throws {
        let desk = try self.desk()
        for number in 1...2 {
            try desk.carryOut(.callLog(lane: "1", calls: 5))
            #expect(desk.orders.callLog == OperatorDesk.CallLog(number: number, lane: "1", calls: 5))
        }
        #expect(desk.choices == OperatorChoices())
    }

    @Test(
        arguments: [
            (.pause(.endpoint("moon")), "there is no endpoint 'moon': gdt, callback are"),
            (.resume(.lane("1")), "the lane '1' is not paused"),
            (.resume(.endpoint("gdt")), "the endpoint 'gdt' is not paused"),
            (.concurrency(65), "1 to 64"), (.concurrency(0), "1 to 64"),
        ] as [(OperatorOrder, String)]
    )
    func anOrderThatFitsNothingChangesNothing(order: OperatorOrder, reason: String) throws {
        let desk = try self.desk()
        let refusal = #expect(throws: OperatorOrder.Refusal.self) { try desk.carryOut(order) }
        #expect(refusal?.description.contains(reason) == true)
        #expect(desk.choices == OperatorChoices() && desk.version == 1)
    }

    @Test func aWorkerWithoutCallsHasNoLanes() throws {
        let desk = try OperatorDesk(level: self.level)
        #expect(throws: OperatorOrder.Refusal.self) { try desk.carryOut(.pause(.worker)) }
        desk.begin(.states)
        try desk.carryOut(.pause(.worker))
        for order in [
            .pause(.lane("1")), .pause(.endpoint("gdt")), .release, .concurrency(1), .rate(1),
            .callLog(lane: nil, calls: 1),
        ] as [OperatorOrder] {
            #expect(throws: OperatorOrder.Refusal.self) { try desk.carryOut(order) }
        }
        #expect(desk.orders.choices.isPaused)
    }

    @Test func choicesOutliveTheProcessWhereThereIsAFileForThem() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("choices.json").path
        let desk = try self.desk(keptIn: path)
        try desk.carryOut(.pause(.lane("112233")))
        try desk.carryOut(.logLevel(.trace))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        self.level.level = .info
        let next = try self.desk(keptIn: path)
        #expect(next.choices == desk.choices && next.choices.lanes == ["112233"])
        #expect(self.level.level == .trace)
    }

    /// A pause that is forgotten would be a call that nobody wanted.
    @Test func aFileThatCannotBeUsedIsNoFileWithoutChoices() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Array("{]".utf8), to: "choices.json")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        let refusal = #expect(throws: OperatorOrder.Refusal.self) { _ = try self.desk(keptIn: file.path) }
        #expect(refusal?.description.contains("admin.choices_file") == true)
    }

    @Test func anOrderThatCannotBeKeptIsNotCarriedOut() throws {
        let desk = try self.desk(keptIn: "/nowhere/choices.json")
        #expect(throws: OperatorOrder.Refusal.self) { try desk.carryOut(.pause(.worker)) }
        #expect(desk.choices == OperatorChoices())
    }

    @Test func theSettingsTakeAChoiceBackWhenTheyAreReadAgain() throws {
        let desk = try self.desk()
        try desk.carryOut(.logLevel(.debug))
        try desk.carryOut(.concurrency(8))
        try desk.carryOut(.pause(.lane("1")))
        try desk.carryOut(.rate(0.5))
        try desk.settingsRead(level: .warning, concurrency: 16, rate: 20)
        #expect(self.level.level == .warning)
        #expect(desk.orders.choices.concurrency == 16 && desk.orders.choices.rate == 20)
        #expect(desk.choices.lanes == ["1"] && desk.choices.concurrency == nil && desk.choices.rate == nil)
        try desk.carryOut(.rate(3))
        #expect(desk.orders.choices.rate == 3)
        try desk.carryOut(.rate(nil))
        #expect(desk.orders.choices.rate == 20)
        // Settings without a rate have none: the rate of the start does not come back.
        try desk.settingsRead(level: .warning, concurrency: 16, rate: nil)
        #expect(desk.orders.choices.rate == .infinity)
    }
}
