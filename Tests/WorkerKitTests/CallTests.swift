import Testing
import UpstreamHTTP
import WorkerKit

struct CallTests {
    /// Wrappers of handlers copy calls. One of two copies once left out that the call may be repeated.
    @Test func aCallForAnotherJobIsTheSameCall() {
        let call = Call(
            HTTPRequest(method: .get, url: "http://a/"),
            for: 1,
            lane: "l",
            endpoint: 2,
            isPerishable: true,
            isSecondTry: true,
            isRepeatable: true
        )
        let other = call.with("job")
        #expect(other.job == "job" && other.lane == "l" && other.endpoint == 2)
        #expect(other.isPerishable && other.isSecondTry && other.isRepeatable)
        #expect(other.request.url == "http://a/")
        #expect(!Call(call.request, for: 1, lane: "l").with(2).isRepeatable)
    }
}
