import Testing
import WireFormats

@testable import DeadLetterTool

/// The time before which a replay does not begin.
struct StartArgumentTests {
    private static let now = RFC3339.milliseconds("2026-11-25T14:30:00Z") ?? 0

    @Test(arguments: [
        ("03:00", "2026-11-26T03:00:00Z"), ("14:30", "2026-11-25T14:30:00Z"),
        ("14:31", "2026-11-25T14:31:00Z"),
        ("14:29", "2026-11-26T14:29:00Z"), ("23:59", "2026-11-25T23:59:00Z"),
        ("00:00", "2026-11-26T00:00:00Z"),
        ("2026-12-01T03:00:00Z", "2026-12-01T03:00:00Z"), ("2026-11-01T03:00:00Z", "2026-11-01T03:00:00Z"),
    ])
    func theNextSuchTimeIsTaken(text: String, time: String) throws {
        let start = try #require(StartArgument(argument: text))
        #expect(RFC3339.string(start.milliseconds(after: Self.now)) == time)
    }

    @Test(arguments: ["", "3:00", "24:00", "03:60", "-1:00", "03:00:00", "+3:00", "tomorrow", "２３:00"])
    func anythingElseIsRefused(text: String) {
        #expect(StartArgument(argument: text) == nil)
    }

    /// The wall clock may stand before 1970.
    @Test func aClockThatIsWrongIsNoTrap() throws {
        let start = try #require(StartArgument(argument: "03:00"))
        #expect(start.milliseconds(after: -1) == 3 * 3_600_000)
        #expect(start.milliseconds(after: -86_400_000) == -75_600_000)
    }
}
