import Operations
import Testing

@testable import Gateway

/// Addresses, ranges and rates, without a network.
struct PureTests {
    @Test(arguments: [
        ("10.0.0.0/8", "10.255.1.2", true), ("10.0.0.0/8", "11.0.0.1", false), ("0.0.0.0/0", "8.8.8.8", true),
        ("0.0.0.0/0", "2001:db8::1", false), ("::/0", "8.8.8.8", true),
        ("2001:db8::/32", "2001:db8:1::1", true),
        ("2001:db8::/32", "2001:db9::1", false), ("fd00::/65", "fd00::7fff:0:0:1", true),
        ("fd00::/65", "fd00::8000:0:0:1", false), ("192.0.2.1", "192.0.2.1", true),
        ("192.0.2.1", "192.0.2.2", false),
        ("192.0.2.0/31", "::ffff:192.0.2.1", true),
    ])
    func aRangeHoldsItsAddresses(range: String, address: String, holds: Bool) throws {
        let range = try #require(AddressRange(range))
        #expect(range.contains(try #require(ClientAddress(address))) == holds)
    }

    /// Some proxies write the port beside the address. All phones behind them were once one client.
    @Test(arguments: [
        ("203.0.113.3:4711", "203.0.113.3", true), ("[2001:db8::1]:80", "2001:db8::1", true),
        ("[2001:db8::1]", "2001:db8::1", true), ("2001:db8::1", "2001:db8::1", true),
        ("198.51.100.1, 203.0.113.3:65535", "203.0.113.3", true), ("unknown", "10.0.0.1", false),
        ("203.0.113.3:", "203.0.113.3", true), ("203.0.113.3:x", "10.0.0.1", false),
        ("[::1", "10.0.0.1", false),
        ("[::1]x", "10.0.0.1", false), ("", "10.0.0.1", true), ("203.0.113.3:123456", "10.0.0.1", false),
    ])
    func aProxyNamesItsClientWithAPortOrWithout(forwarded: String, client: String, isCertain: Bool) throws {
        let proxy = try #require(ClientAddress("10.0.0.1"))
        let proxies = TrustedProxies([try #require(AddressRange("10.0.0.1"))])
        let found = proxies.client(behind: proxy, forwarded: [forwarded])
        #expect(found.address == ClientAddress(client) && found.isCertain == isCertain)
    }

    @Test(arguments: [
        ("/clicks/gdt?a=1", "/clicks/gdt?a=1"), ("http://a/clicks/gdt?a=1", "/clicks/gdt?a=1"),
        ("https://a:80?x=1", "/?x=1"), ("http://a", "/"), ("*", "*"), ("a:443", "a:443"),
    ])
    func aTargetMayBeTheWholeURL(target: String, path: String) {
        #expect(Route.originForm(of: target) == path)
    }

    @Test(arguments: [
        "", "10.0.0.0/33", "10.0.0.0/", "::/129", "host", "10.0.0.0/8/8", "10.0.0/8", "1.2.3.4/-1",
    ])
    func noOtherTextIsARange(text: String) {
        #expect(AddressRange(text) == nil)
    }

    /// To compare the characters of such a text would take hours.
    @Test(.timeLimit(.minutes(1))) func textsOfStrangersMayHaveAnyLength() throws {
        let long = "a" + String(repeating: "\u{301}\u{323}", count: 200_000)
        let settings = GatewaySettings(SettingsReader(file: nil, overrides: []))
        #expect(Route(of: "/" + long, settings: settings) == nil)
        let peer = try #require(ClientAddress("10.0.0.1"))
        let proxies = TrustedProxies([try #require(AddressRange("10.0.0.0/8"))])
        #expect(proxies.client(behind: peer, forwarded: [long]).address == peer)
        let client = proxies.client(behind: peer, forwarded: ["\(long), 203.0.113.7 ,\t10.0.0.2"]).address
        #expect(client == ClientAddress("203.0.113.7"))
    }

    @Test func aRateLetsABurstOfASecondPassAndThenTheRate() {
        let rate = RequestRate(perSecond: 10)
        var due: Int64 = 0
        let start: Int64 = 50_000_000_000
        for _ in 0..<10 { #expect(rate.take(&due, at: start) == nil) }
        #expect(rate.take(&due, at: start) == 100_000_000)
        #expect(rate.take(&due, at: start + 100_000_000) == nil)
        #expect(rate.take(&due, at: start + 100_000_000) == 100_000_000)
    }

    @Test func theTableOfClientsIsBounded() throws {
        var rates = ClientRates(RequestRate(perSecond: 1), limit: 100)
        let busy = try #require(ClientAddress("203.0.113.9"))
        #expect(rates.take(busy, at: 1_000_000_000) == nil)
        for number in 0..<10_000 {
            let other = try #require(ClientAddress("10.0.\(number / 256).\(number % 256)"))
            _ = rates.take(other, at: 1_000_000_000)
            // A client that goes on asking is not forgotten, however many others there are.
            #expect(rates.take(busy, at: 1_000_000_000) != nil)
            #expect(rates.count <= 100)
        }
    }

    /// A topic whose records were all refused was once opened by its metadata, once a second.
    @Test func onlyAnAcknowledgedRecordOpensATopicWhoseRecordsWereNot() {
        var standing = TopicStanding()
        #expect(!standing.isOpen && !standing.hasRoom && standing.accept() == nil)
        standing.found()
        #expect(standing.isOpen && standing.accept() == false)
        standing.failed("refused", acceptedAt: 1, at: 2)
        standing.found()
        #expect(standing.problem == "refused" && standing.absence == nil)
        // A request that was accepted while the topic was open takes no place of a probe.
        for _ in 0..<8 { #expect(standing.accept() == true) }
        #expect(!standing.hasRoom && standing.accept() == nil)
        standing.probesEnded(1)
        #expect(standing.hasRoom)
        standing.missed("no answer")
        #expect(standing.problem == "no answer")
        standing.found()
        #expect(standing.problem == "refused")
        standing.acknowledged(at: 3)
        #expect(standing.isOpen && standing.hasRoom)
        // The metadata ends its own complaint.
        standing.missed("no answer")
        #expect(!standing.isOpen)
        standing.found()
        #expect(standing.isOpen)
    }

    /// One partition that takes no records must not close its topic, whose other partitions do.
    @Test func aRecordThatFailedWhileOthersWereAcknowledgedClosesNoTopic() {
        var standing = TopicStanding()
        standing.acknowledged(at: 10)
        standing.failed("one partition", acceptedAt: 9, at: 20)
        #expect(standing.isOpen)
        standing.failed("all of them", acceptedAt: 11, at: 20)
        #expect(!standing.isOpen)
    }

    /// A topic without requests would stay closed for ever, and page somebody.
    @Test func aFailureThatNobodyConfirmsIsForgotten() {
        var standing = TopicStanding()
        standing.found()
        standing.failed("refused", acceptedAt: 0, at: 1_000_000_000)
        _ = standing.accept()
        standing.forgetOldFailure(at: 90_000_000_000)
        #expect(!standing.isOpen)
        standing.probesEnded(1)
        standing.forgetOldFailure(at: 60_000_000_000)
        #expect(!standing.isOpen)
        standing.forgetOldFailure(at: 61_000_000_001)
        #expect(standing.isOpen)
    }

    @Test func oneIPv6NetworkIsOneClient() throws {
        let one = try #require(ClientAddress("2001:db8::1"))
        let other = try #require(ClientAddress("2001:db8:0:ff::1"))
        #expect(one.network == other.network)
        let neighbour = try #require(ClientAddress("2001:db8:0:100::1"))
        #expect(one.network != neighbour.network)
        #expect(
            try #require(ClientAddress("10.0.0.1")).network != #require(ClientAddress("10.0.0.2")).network
        )
    }
}
