import DeadLetterPages
import Foundation
import Operations
import ServiceKit
import Testing
import WorkerKit
import WorkerTestSupport

@testable import ActivationIntake
@testable import ActivationWorker
@testable import DeviceCheckWorker
@testable import Gateway
@testable import PushArrivalWorker

/// The names of metrics in the code, in the rules and on the dashboard are the same.
struct MetricNamesTests {
    /// The metrics that all programs describe, by the programs' own lists.
    private static let described: Set<String> = {
        let registry = PrometheusRegistry()
        ProcessMetrics.describe(in: registry)
        ServiceProcess.describe(in: registry)
        MetricCatalogue.describe(in: registry)
        PushMetrics.describe(in: registry)
        IntakeMetrics.describe(in: registry)
        GatewayMetrics.describe(in: registry)
        PagesMetrics.describe(in: registry)
        TokenAgeMeter().begin(registry)
        TokenRenewal.describe(in: registry)
        return registry.describedNames.union(["metrics_dropped_series_total"])
    }()

    private static let root = Documents.root

    /// The first parts of the names of our metrics. A word that begins so is one.
    private static let prefixes =
        "worker|gateway|push|intake|activation|messaging|http_client|devicecheck|dead_letters|tracing|process|metrics"

    private static func words(in text: String, _ pattern: String) throws -> Set<String> {
        let expression = try NSRegularExpression(pattern: pattern)
        let matches = expression.matches(in: text, range: NSRange(text.startIndex..., in: text))
        return Set(
            matches.compactMap { match in
                Range(match.range(at: 1), in: text).map { String(text[$0]) }
            }
        )
    }

    /// The metric behind a series: a histogram has three.
    private static func metric(_ series: String) -> String {
        for suffix in ["_bucket", "_sum", "_count"] where series.hasSuffix(suffix) {
            let name = String(series.dropLast(suffix.count))
            if self.described.contains(name) { return name }
        }
        return series
    }

    private static func unknown(in expressions: [String]) throws -> Set<String> {
        let names = try expressions.reduce(into: Set<String>()) {
            // A word that follows a colon or a quotation mark is no metric: recording rules, labels.
            $0.formUnion(try self.words(in: $1, #"(?<![:\w"])((?:\#(Self.prefixes))_[a-z0-9_]+)(?![:\w])"#))
        }
        return Set(names.map(self.metric)).subtracting(self.described)
    }

    @Test func theRulesUseMetricsThatExist() throws {
        let text = try String(
            contentsOf: Self.root.appending(path: "Deploy/observability/rules.yaml"),
            encoding: .utf8
        )
        let lines = text.split(separator: "\n").filter { !$0.contains("runbook_url") }.map(String.init)
        #expect(try Self.unknown(in: lines) == [])
        #expect(lines.contains { $0.contains("worker_oldest_unfinished_age_seconds") })
    }

    private struct Dashboard: Decodable {
        struct Target: Decodable {
            var expr: String
        }

        struct Panel: Decodable {
            var title: String
            var targets: [Target]?
            var panels: [Panel]?

            var all: [Panel] { [self] + (self.panels ?? []).flatMap(\.all) }
        }

        struct Variable: Decodable {
            var query: String?
        }

        struct Templating: Decodable {
            var list: [Variable]
        }

        var panels: [Panel]
        var templating: Templating
    }

    @Test func theDashboardUsesMetricsThatExist() throws {
        let bytes = try Data(contentsOf: Self.root.appending(path: "Deploy/observability/dashboard.json"))
        let board = try JSONDecoder().decode(Dashboard.self, from: bytes)
        let panels = board.panels.flatMap(\.all)
        let expressions = panels.flatMap { $0.targets ?? [] }.map(\.expr)
        #expect(expressions.count >= 30)
        #expect(try Self.unknown(in: expressions + board.templating.list.compactMap(\.query)) == [])
        // Each panel that is no row asks something.
        #expect(panels.allSatisfy { $0.panels != nil || $0.targets?.isEmpty == false })
    }

    /// A metric without a help text is one that nobody finds.
    @Test func everyMetricOfTheCodeIsDescribed() throws {
        let folder = Self.root.appending(path: "Sources")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var made = Set<String>()
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift", !file.path.contains("/Lab/"), !file.path.contains("/Fleet/")
            else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            made.formUnion(try Self.words(in: text, #""((?:\#(Self.prefixes))_[a-z0-9_]+)""#))
        }
        // A short word, or a setting, can begin as a metric does.
        let others: Set = ["push_arrivals_topic"]
        let metrics = made.filter { $0.split(separator: "_").count > 2 }.subtracting(others)
        #expect(metrics.subtracting(Self.described) == [])
        #expect(made.count > 70)
    }

    /// Each metric has a row, a word of a row, or a family of rows in a document.
    @Test func theDocumentsNameEveryMetric() throws {
        let documents = [
            "Engine/WorkerKit/WorkerKit.docc/MetricsAndHealth.md",
            "Engine/StreamKit/StreamKit.docc/TasksAndTransactions.md",
            "Workers/PushArrivalWorker/PushArrivalWorker.docc/Operating.md",
            "Workers/DeviceCheckWorker/DeviceCheckWorker.docc/Operating.md",
            "Workers/ActivationWorker/ActivationWorker.docc/Intake.md",
            "Workers/ActivationWorker/ActivationWorker.docc/MarketingAPI.md",
            "Workers/Gateway/Gateway.docc/Gateway.md",
            "DeadLetters/DeadLetterTool/DeadLetterTool.docc/Pages.md",
        ]
        var text = ""
        for document in documents {
            let file = Self.root.appending(path: "Sources/\(document)")
            text += try String(contentsOf: file, encoding: .utf8)
        }
        let isNamed: (String) -> Bool = { name in
            // A list of metrics may leave out what they begin with: `worker_records_waiting`, `_blocked`.
            name.indices.contains { name[$0] == "_" && text.contains("`\(name[$0...])") }
                || text.contains("`\(name)")
        }
        #expect(Self.described.filter { !isNamed($0) }.sorted() == [])
    }

    /// An alert leads to a page that says what ends it.
    @Test func everyAlertHasARunbookAndEveryRunbookAnAlert() throws {
        let folder = Self.root.appending(path: "Deploy/observability")
        let rules = try String(contentsOf: folder.appending(path: "rules.yaml"), encoding: .utf8)
        let alerts = try Self.words(in: rules, #"- alert: (\w+)"#)
        let linked = try Self.words(in: rules, #"runbook_url: .*/runbooks/(\w+)\.md"#)
        let pages = try FileManager.default.contentsOfDirectory(
            atPath: folder.appending(path: "runbooks").path
        )
        #expect(alerts == linked)
        #expect(alerts == Set(pages.filter { $0 != "README.md" }.map { String($0.dropLast(3)) }))
        for alert in alerts {
            let page = try String(
                contentsOf: folder.appending(path: "runbooks/\(alert).md"),
                encoding: .utf8
            )
            let parts = ["What it means", "Who is affected", "What to look at", "What ends it"]
            for heading in ["# \(alert)"] + parts.map({ "## \($0)" }) {
                #expect(page.contains("\(heading)\n"), "\(alert): \(heading)")
            }
            #expect(page.contains("```sh\n"), "\(alert) names no command")
        }
        let tests = try String(contentsOf: folder.appending(path: "rules.test.yaml"), encoding: .utf8)
        #expect(try Self.words(in: tests, #"alertname: (\w+)"#) == alerts)
    }
}
