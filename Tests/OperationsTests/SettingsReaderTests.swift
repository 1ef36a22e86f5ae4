import Configuration
import Operations
import Testing

enum Ordering: String, CaseIterable {
    case key, partition, none
}

struct App: Equatable {
    var name: String
    var limit: Int
}

struct SettingsReaderTests {
    static func reader(_ text: String, environment: [String: String] = [:]) throws -> SettingsReader {
        SettingsReader(
            file: try SettingsFile(text: text, path: "conf/w.yaml"),
            overrides: [EnvironmentVariablesProvider(environmentVariables: environment)]
        )
    }

    /// Asks for one setting of every kind.
    static func readEverything(_ reader: SettingsReader) {
        _ = reader.brokers("kafka.brokers", help: "Where Kafka is.")
        _ = reader.string("kafka.group", default: "workers", help: "The consumer group.")
        _ = reader.int("worker.slots", default: 10, in: 1...100, help: "Calls in flight.")
        _ = reader.oneOf("worker.ordering", default: Ordering.key, help: "What keeps its order.")
        _ = reader.duration(
            "worker.drain",
            default: .seconds(20),
            in: .seconds(1)...(.seconds(300)),
            help: "Drain."
        )
        _ = reader.bytes("worker.buffer", default: 64 << 20, in: 1_024...(1 << 30), help: "Bytes in hand.")
        _ = reader.bool("worker.dry_run", default: false, help: "Call nobody.")
        _ = reader.url("gdt.url", default: "https://api.example", help: "The upstream.")
        _ = reader.strings("gdt.regions", default: [], help: "Regions.")
        _ = reader.optionalSecret("gdt.sign_key", help: "Signs requests.")
        _ = reader.each("gdt.apps", help: "Apps.") { app in
            App(
                name: app.string("name", help: "Name."),
                limit: app.int("limit", default: 5, in: 0...9, help: "Limit.")
            )
        }
    }

    static func faults(_ text: String, environment: [String: String] = [:]) throws -> [String] {
        let reader = try Self.reader(text, environment: environment)
        Self.readEverything(reader)
        do throws(SettingsFaults) {
            return try reader.finish().map(\.description)
        } catch {
            return error.description.split(separator: "\n").map(String.init)
        }
    }

    @Test func readsEveryKindOfSetting() throws {
        let reader = try Self.reader(
            """
            kafka: {brokers: "a:1,b:2", group: 0123}
            worker: {slots: "7", ordering: none, drain: 5m, buffer: 1MiB, dry_run: True}
            gdt:
              url: http://[::1]:8080/x?y=1
              regions: [no, yes]
              apps:
                - {name: one, limit: 0}
                - name: two
            """
        )
        #expect(reader.brokers("kafka.brokers", help: "") == "a:1,b:2")
        #expect(reader.string("kafka.group", help: "") == "0123")
        #expect(reader.int("worker.slots", in: 1...100, help: "") == 7)
        #expect(reader.oneOf("worker.ordering", default: Ordering.key, help: "") == .none)
        #expect(reader.requiredOneOf("worker.ordering", as: Ordering.self, help: "") == Ordering.none)
        let worker = reader.section("worker")
        #expect(worker.duration("drain", help: "") == .seconds(300))
        #expect(worker.bytes("buffer", help: "") == 1 << 20)
        #expect(worker.bool("dry_run", help: "") == true)
        #expect(reader.url("gdt.url", help: "") == "http://[::1]:8080/x?y=1")
        #expect(reader.strings("gdt.regions", help: "") == ["no", "yes"])
        #expect(reader.optionalString("gdt.missing", help: "") == nil)
        #expect(reader.int("gdt.missing_too", default: 4, help: "") == 4)
        let apps = reader.each("gdt.apps", help: "") { app in
            App(name: app.string("name", help: ""), limit: app.int("limit", default: 5, help: ""))
        }
        #expect(apps == [App(name: "one", limit: 0), App(name: "two", limit: 5)])
        #expect(try reader.finish() == [])
    }

    @Test(arguments: [
        ("250ms", Duration.milliseconds(250)), ("20s", .seconds(20)), ("5m", .seconds(300)),
        ("12h", .seconds(43_200)),
        ("7d", .seconds(604_800)), ("0", .zero), ("3 s", .seconds(3)),
    ])
    func readsDurations(text: String, duration: Duration) throws {
        #expect(try Self.reader("d: \(text)").duration("d", help: "") == duration)
    }

    @Test(arguments: [
        ("64MiB", 67_108_864), ("1MB", 1_000_000), ("4096", 4_096), ("2KiB", 2_048), ("3kB", 3_000),
        ("1GiB", 1 << 30),
        ("0", 0), ("12B", 12),
    ])
    func readsSizes(text: String, bytes: Int) throws {
        #expect(try Self.reader("b: \(text)").bytes("b", help: "") == bytes)
    }

    @Test(arguments: [
        ("", ["conf/w.yaml: kafka.brokers: is required: set it here or in FLOTILLA_KAFKA_BROKERS"]),
        (
            "kafka:\n  group: g\n",
            ["conf/w.yaml:2:3: kafka.brokers: is required: set it here or in FLOTILLA_KAFKA_BROKERS"]
        ),
        (
            "kafka:\n",
            ["conf/w.yaml:1:7: kafka.brokers: is required: set it here or in FLOTILLA_KAFKA_BROKERS"]
        ),
        ("kafka: here\n", ["conf/w.yaml:1:8: kafka: must be a group of settings, not a single value"]),
        ("kafka: [a]\n", ["conf/w.yaml:1:8: kafka: must be a group of settings, not a list"]),
        (
            "kafka:\n  brokers: localhost\n",
            ["conf/w.yaml:2:12: kafka.brokers: must be host:port[,host:port…]"]
        ),
        ("kafka: {brokers: 'a:1,'}\n", ["conf/w.yaml:1:18: kafka.brokers: must be host:port[,host:port…]"]),
        (
            "kafka: {brokers: 'a:70000'}\n",
            ["conf/w.yaml:1:18: kafka.brokers: must be host:port[,host:port…]"]
        ),
        ("kafka: {brokers: [a:1]}\n", ["conf/w.yaml:1:18: kafka.brokers: must be text, not a list"]),
    ])
    func brokersFaults(text: String, faults: [String]) throws {
        #expect(try Self.faults(text) == faults)
    }

    @Test(arguments: [
        ("worker: {slots: many}", "1:17: worker.slots: must be a whole number from 1 to 100"),
        ("worker: {slots: 101}", "1:17: worker.slots: must be a whole number from 1 to 100"),
        ("worker: {slots: 5.0}", "1:17: worker.slots: must be a whole number from 1 to 100"),
        ("worker: {slots: [5]}", "1:17: worker.slots: must be a whole number from 1 to 100, not a list"),
        (
            "worker: {ordering: partitoin}",
            "1:20: worker.ordering: must be one of key, partition, none; did you mean partition?"
        ),
        ("worker: {ordering: zzz}", "1:20: worker.ordering: must be one of key, partition, none"),
        ("worker: {drain: 20}", "1:17: worker.drain: must be a duration such as 250ms, 20s, 5m, 12h or 7d"),
        ("worker: {drain: 1.5s}", "1:17: worker.drain: must be a duration such as 250ms, 20s, 5m, 12h or 7d"),
        (
            "worker: {drain: 9999999999999999d}",
            "1:17: worker.drain: must be a duration such as 250ms, 20s, 5m, 12h or 7d"
        ),
        ("worker: {drain: 10m}", "1:17: worker.drain: must be a duration from 1s to 5m"),
        ("worker: {buffer: 64Mb}", "1:18: worker.buffer: must be a size such as 4096, 1MB or 64MiB"),
        ("worker: {buffer: 2GiB}", "1:18: worker.buffer: must be a size from 1KiB to 1GiB"),
        ("worker: {dry_run: yes}", "1:19: worker.dry_run: must be true or false"),
        ("gdt: {url: 'ftp://a'}", urlFault), ("gdt: {url: 'https://'}", urlFault),
        ("gdt: {url: 'https://u:p@a'}", urlFault), ("gdt: {url: 'https://a b'}", urlFault),
        ("gdt: {url: 'https://a:x/'}", urlFault), ("gdt: {url: 'https://?a'}", urlFault),
        ("gdt: {regions: {a: 1}}", "1:16: gdt.regions: must be a list of texts, not a group of settings"),
        ("gdt: {regions: [[a]]}", "1:17: gdt.regions[0]: must be text, not a list"),
        ("gdt: {apps: one}", "1:13: gdt.apps: must be a list of groups, not a single value"),
        ("gdt: {apps: [one]}", "1:14: gdt.apps[0]: must be a group of settings, not a single value"),
        (
            "gdt: {apps: [{limit: 1}]}",
            "1:14: gdt.apps[0].name: is required: set it here or in FLOTILLA_GDT_APPS_0_NAME"
        ),
        (
            "gdt: {apps: [{name: a}, {name: b, limt: 1}]}",
            "1:35: gdt.apps[1].limt: unknown setting; did you mean gdt.apps[1].limit?"
        ),
        ("wroker: {slots: 1}", "1:1: wroker: unknown setting; did you mean worker?"),
        ("worker: {slost: 1}", "1:10: worker.slost: unknown setting; did you mean worker.slots?"),
        ("ordering: key", "1:1: ordering: unknown setting; did you mean worker.ordering?"),
        ("colour: red", "1:1: colour: unknown setting"),
        ("\"col\\nour\": red", "1:1: col\\u{a}our: unknown setting"),
        ("gdt: {sign_key: ''}", "1:17: gdt.sign_key: must not be empty"),
        ("gdt: {sign_key: [a]}", "1:17: gdt.sign_key: must be a secret, not a list"),
        (
            "gdt: {sign_key: a, sign_key_file: b}",
            "1:35: gdt.sign_key_file: cannot be given together with gdt.sign_key"
        ),
        (
            "gdt: {sign_key_file: nowhere}",
            "1:22: gdt.sign_key_file: names a file that cannot be read: no such file"
        ),
    ])
    func aBrokenSettingSaysWhereAndWhat(text: String, fault: String) throws {
        let faults = try Self.faults(text, environment: ["FLOTILLA_KAFKA_BROKERS": "a:1"])
        #expect(faults == ["conf/w.yaml:\(fault)"])
    }

    static let urlFault =
        "1:12: gdt.url: must be a URL as https://host or http://host, without user name or password"

    @Test func allFaultsComeAtOnceInTheOrderOfTheFile() throws {
        let text = """
            worker:
              slots: 0
              orderin: key
              drain: forever
            kafka: {}
            gdt:
              apps: [{}]
            """
        #expect(
            try Self.faults(text, environment: ["FLOTILLA_WORKER_BUFFER": "big"]) == [
                "FLOTILLA_WORKER_BUFFER: must be a size such as 4096, 1MB or 64MiB",
                "conf/w.yaml:2:10: worker.slots: must be a whole number from 1 to 100",
                "conf/w.yaml:3:3: worker.orderin: unknown setting; did you mean worker.ordering?",
                "conf/w.yaml:4:10: worker.drain: must be a duration such as 250ms, 20s, 5m, 12h or 7d",
                "conf/w.yaml:5:8: kafka.brokers: is required: set it here or in FLOTILLA_KAFKA_BROKERS",
                "conf/w.yaml:7:10: gdt.apps[0].name: is required: set it here or in FLOTILLA_GDT_APPS_0_NAME",
            ]
        )
    }

    @Test func theEnvironmentOverridesTheFileAndAnswersForItself() throws {
        let environment = [
            "FLOTILLA_KAFKA_BROKERS": "nonsense", "FLOTILLA_WORKER_ORDERING": "partition",
            "FLOTILLA_GDT_REGIONS": "a, b,,c ",
            "FLOTILLA_GDT_APPS_0_NAME": "two", "FLOTILLA_WORKER_SLOTS": "",
        ]
        let reader = try Self.reader(
            "kafka: {brokers: 'a:1'}\nworker: {ordering: key, slots: 9}\ngdt: {apps: [{name: one}]}",
            environment: environment
        )
        #expect(reader.oneOf("worker.ordering", default: Ordering.none, help: "") == .partition)
        #expect(reader.strings("gdt.regions", help: "") == ["a", "b", "c"])
        #expect(reader.int("worker.slots", help: "") == 9)
        #expect(reader.each("gdt.apps", help: "") { $0.string("name", help: "") } == ["two"])
        _ = reader.brokers("kafka.brokers", help: "")
        let faults = #expect(throws: SettingsFaults.self) { try reader.finish() }
        #expect(faults?.description == "FLOTILLA_KAFKA_BROKERS: must be host:port[,host:port…]")
    }

    @Test func noFileAtAllIsFine() throws {
        let reader = SettingsReader(file: nil, overrides: [])
        _ = reader.brokers("kafka.brokers", help: "")
        let faults = #expect(throws: SettingsFaults.self) { try reader.finish() }
        #expect(
            faults?.description
                == "kafka.brokers: is required: set it in a file that --config names, or in FLOTILLA_KAFKA_BROKERS"
        )
    }

    @Test func callersReportWhatOnlyTheySee() throws {
        let reader = try Self.reader("a: {b: 1}")
        _ = reader.int("a.b", help: "")
        reader.section("a").reportFault("b", "cannot be used with c")
        let faults = #expect(throws: SettingsFaults.self) { try reader.finish() }
        #expect(faults?.description == "conf/w.yaml:1:8: a.b: cannot be used with c")
    }

    @Test func documentsItselfAlsoWithoutAFile() {
        let reader = SettingsReader(file: nil, overrides: [])
        Self.readEverything(reader)
        let help = SettingDocumentation.text(reader.documentation)
        #expect(
            help.hasPrefix("kafka.brokers (text, required, FLOTILLA_KAFKA_BROKERS)\n    Where Kafka is.\n")
        )
        #expect(help.contains("gdt.apps[] (a list of groups, optional)\n    Apps.\n"))
        #expect(
            SettingDocumentation.markdown(reader.documentation) == """
                | setting | environment | type | default | meaning |
                |---|---|---|---|---|
                | `kafka.brokers` | `FLOTILLA_KAFKA_BROKERS` | text | required | Where Kafka is. |
                | `kafka.group` | `FLOTILLA_KAFKA_GROUP` | text | `workers` | The consumer group. |
                | `worker.slots` | `FLOTILLA_WORKER_SLOTS` | a whole number from 1 to 100 | `10` | Calls in flight. |
                | `worker.ordering` | `FLOTILLA_WORKER_ORDERING` | one of key, partition, none | `key` | What keeps its order. |
                | `worker.drain` | `FLOTILLA_WORKER_DRAIN` | a duration | `20s` | Drain. |
                | `worker.buffer` | `FLOTILLA_WORKER_BUFFER` | a size in bytes | `64MiB` | Bytes in hand. |
                | `worker.dry_run` | `FLOTILLA_WORKER_DRY_RUN` | true or false | `false` | Call nobody. |
                | `gdt.url` | `FLOTILLA_GDT_URL` | a URL | `https://api.example` | The upstream. |
                | `gdt.regions` | `FLOTILLA_GDT_REGIONS` | a list of texts | `[]` | Regions. |
                | `gdt.sign_key` | `FLOTILLA_GDT_SIGN_KEY` | a secret | – | Signs requests. |
                | `gdt.sign_key_file` | `FLOTILLA_GDT_SIGN_KEY_FILE` | a path | – | File that holds gdt.sign_key. |
                | `gdt.apps[]` | – | a list of groups | – | Apps. |
                | `gdt.apps[].name` | `FLOTILLA_GDT_APPS_<n>_NAME` | text | required | Name. |
                | `gdt.apps[].limit` | `FLOTILLA_GDT_APPS_<n>_LIMIT` | a whole number from 0 to 9 | `5` | Limit. |

                """
        )
    }
}
