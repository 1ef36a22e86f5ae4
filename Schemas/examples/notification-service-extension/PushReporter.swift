import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Posts the kept reports to the gateway's route `push-arrivals`, in batches. A report is forgotten once the gateway has
/// said that the cluster has it; after a lost answer it is posted again, and counts once.
public struct PushReporter: Sendable {
    /// The address, such as `https://edge.example.com/push-arrivals`.
    public let url: URL
    public let reports: KeptReports
    /// The number of reports of one request; at most `gateway.reports_limit` of the gateway.
    public var batch = 50

    public init(url: URL, reports: KeptReports) {
        self.url = url
        self.reports = reports
    }

    /// Posts until all reports are posted, the time is over, or the gateway wants a pause.
    ///
    /// - Parameter time: at most so long. An extension has 30 seconds in all, for the pictures too.
    /// - Returns: The number of reports that are left for the next time.
    @discardableResult
    public func post(within time: TimeInterval = 10) async throws -> Int {
        let end = Date(timeIntervalSinceNow: time)
        var failures = 0
        while true {
            let files = try self.reports.files()
            guard !files.isEmpty, Date() < end else { return files.count }
            switch await self.post(Array(files.prefix(self.batch)), until: end) {
            case .done: failures = 0
            case .later: return try self.reports.files().count
            case .failed:
                failures += 1
                let pause = min(pow(2, Double(failures - 1)), 8)
                guard Date(timeIntervalSinceNow: pause) < end else { return try self.reports.files().count }
                try await Task.sleep(nanoseconds: UInt64(pause * 1_000_000_000))
            }
        }
    }

    private enum Ending { case done, later, failed }

    /// Posts the reports of these files.
    private func post(_ files: [URL], until end: Date) async -> Ending {
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        let kept = files.compactMap { file in self.reports.report(in: file).map { (file, $0) } }
        guard !kept.isEmpty else { return .done }
        var request = URLRequest(url: self.url, timeoutInterval: max(1, end.timeIntervalSinceNow))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try? JSONEncoder().encode(
            kept.map { _, report in
                var report = report
                report.uploadMs = now
                return report
            }
        )
        switch await Self.status(of: request) {
        case 200..<300:
            for (file, _) in kept { try? FileManager.default.removeItem(at: file) }
            return .done
        case 400, 413:
            // One report that is refused has the whole request refused. Alone, it is the one to forget.
            guard kept.count > 1 else {
                try? FileManager.default.removeItem(at: kept[0].0)
                return .done
            }
            for (file, _) in kept {
                let ending = await self.post([file], until: end)
                guard ending == .done else { return ending }
            }
            return .done
        case 429, 503: return .later
        default: return .failed
        }
    }

    /// Returns the status of the answer; 0 if there is none.
    private static func status(of request: URLRequest) async -> Int {
        await withCheckedContinuation { continuation in
            URLSession.shared.dataTask(with: request) { _, response, _ in
                continuation.resume(returning: (response as? HTTPURLResponse)?.statusCode ?? 0)
            }.resume()
        }
    }
}
