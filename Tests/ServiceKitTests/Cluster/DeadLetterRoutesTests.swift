import Testing

@testable import ServiceKit

struct DeadLetterRoutesTests {
    @Test func theFirstRouteThatFitsCounts() throws {
        let routes = try DeadLetterRoutes([
            "gdt.-12=keys.dead-letter", "gdt.*=ads.dead-letter", "http.*=ads.dead-letter", "gdt.-1=never",
        ])
        let topics = ["gdt.-12", "gdt.-1", "gdt.", "gdt", "http.503", "exhausted", ""].map {
            routes.topic(for: $0)
        }
        let ads = "ads.dead-letter"
        #expect(topics == ["keys.dead-letter", ads, ads, nil, ads, nil, nil])
        #expect(routes.topics(besides: "t.dead-letter") == ["keys.dead-letter", ads, "never"])
        #expect(routes.topics(besides: ads) == ["keys.dead-letter", "never"])
        #expect(DeadLetterRoutes().topic(for: "gdt.-1") == nil)
        #expect(try DeadLetterRoutes(["*=all"]).topic(for: "anything") == "all")
    }

    @Test(arguments: [
        "", "gdt.-1", "=topic", "gdt.-1=", "gdt.-1=two words", "gdt.*.x=t", "**=t", "gdt.-1=a=b",
        "gdt.-1=" + String(repeating: "x", count: 250),
    ])
    func whatIsNoRouteIsRefused(text: String) {
        #expect(throws: DeadLetterRoutes.Fault.self) { try DeadLetterRoutes(["a=b", text]) }
    }

    @Test func thereIsALimit() throws {
        let routes = (0..<33).map { "r\($0)=t" }
        #expect(try DeadLetterRoutes(Array(routes.dropLast())).topics(besides: "") == ["t"])
        #expect(throws: DeadLetterRoutes.Fault.self) { try DeadLetterRoutes(routes) }
    }
}
