import Testing

@testable import WorkerKit

/// The endpoints that were called for a record, without those whose call was not tried.
struct AskedEndpointsTests {
    @Test(arguments: [0, 1, 2])
    func anEndpointThatWasTakenBackIsNewAgain(taken: Int) {
        var asked = AskedEndpoints()
        for endpoint in 0..<3 { #expect(asked.insert(endpoint) == true) }
        asked.remove(taken)
        for endpoint in 0..<3 { #expect(asked.insert(endpoint) == (endpoint == taken)) }
        for endpoint in 0..<3 { asked.remove(endpoint) }
        #expect(asked.isEmpty)
    }
}
