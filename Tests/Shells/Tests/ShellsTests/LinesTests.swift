import Foundation
import Testing

/// A shell is short. Every line of a file counts.
struct LinesTests {
    @Test(arguments: [
        ("WarehouseWorker/WarehouseWorker.swift", 100), ("HouseActivationWorker/HouseCipher.swift", 30),
        ("HouseActivationWorker/Gatekeeper.swift", 30), ("HouseActivationWorker/WarehouseChannel.swift", 30),
    ])
    func isShort(file: String, limit: Int) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
        let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count - 1 < limit)
    }
}
