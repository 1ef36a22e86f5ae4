import ServiceKit
import Testing

struct MomentTests {
    @Test func waitsWithoutEndStayInTheFuture() {
        let now = Moment(monotonic: 5_000_000_000, wall: 0)
        #expect(now.after(.seconds(Int64.max)) == .max)
        #expect(now.after(.seconds(1)) == 6_000_000_000)
        #expect(Int64.max.addingClamped(1) == .max)
        #expect(Int64.min.addingClamped(-1) == .min)
        #expect(Int64.max.subtractingClamped(-1) == .max)
        #expect(Int64.min.subtractingClamped(1) == .min)
        #expect(Int64(3).subtractingClamped(5) == -2)
        #expect(Duration.seconds(Int64.max).wholeNanoseconds == .max)
        #expect(Duration.seconds(Int64.min).wholeNanoseconds == .min)
    }
}
