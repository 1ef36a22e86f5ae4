// swift-tools-version: 6.2

import PackageDescription

// One dialect for every target: Swift 6 mode, no warnings, unsafe code marked where it stands.
let house: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let configuration = Target.Dependency.product(name: "Configuration", package: "swift-configuration")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let grdbSQLite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdTLS = Target.Dependency.product(name: "HummingbirdTLS", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let coreMetrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let protobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")

// Packages that others bring along are pinned too, so that a clone builds the same code next year. The package manager warns
// of a pin that no target uses, and so a test target uses these, on a platform that it is never built for.
let pinned: [Target.Dependency] = [
    .product(name: "Algorithms", package: "swift-algorithms", condition: .when(platforms: [.windows])),
    .product(name: "SwiftASN1", package: "swift-asn1", condition: .when(platforms: [.windows])),
    .product(name: "Atomics", package: "swift-atomics", condition: .when(platforms: [.windows])),
    .product(name: "X509", package: "swift-certificates", condition: .when(platforms: [.windows])),
    .product(name: "Crypto", package: "swift-crypto", condition: .when(platforms: [.windows])),
    .product(name: "Tracing", package: "swift-distributed-tracing", condition: .when(platforms: [.windows])),
    .product(name: "SymbolKit", package: "swift-docc-symbolkit", condition: .when(platforms: [.windows])),
    .product(
        name: "StructuredFieldValues",
        package: "swift-http-structured-headers",
        condition: .when(platforms: [.windows])
    ),
    .product(name: "NIOExtras", package: "swift-nio-extras", condition: .when(platforms: [.windows])),
    .product(name: "NIOHTTP2", package: "swift-nio-http2", condition: .when(platforms: [.windows])),
    .product(
        name: "NIOTransportServices",
        package: "swift-nio-transport-services",
        condition: .when(platforms: [.windows])
    ),
    .product(name: "Numerics", package: "swift-numerics", condition: .when(platforms: [.windows])),
    .product(
        name: "ServiceContextModule",
        package: "swift-service-context",
        condition: .when(platforms: [.windows])
    ),
    .product(name: "SystemPackage", package: "swift-system", condition: .when(platforms: [.windows])),
]

// The fuzz targets are a part of the tests, which run the kept corpus through them. With FLOTILLA_FUZZ they are a
// program around libFuzzer instead, and nothing else is: Deploy/fuzz builds it in a folder of its own.
let fuzzing = Context.environment["FLOTILLA_FUZZ"] != nil
let fuzzed: [Target.Dependency] = [
    "ActivationIntake", "ActivationWorker", "Compression", "Cryptography", "DeadLetters", "EmbeddedBroker",
    "EventThread", "Fleet", "Gateway", "Harness",
    "Kafka", "Operations", "Records", "Rehearsal", "ServiceKit", "Terminal", "TestMaterial", "Trials",
    "UpstreamHTTP", "UpstreamSimulator", "WireFormats", "WireMessages", "WorkerKit", nioCore, nioEmbedded,
    nioHTTP1, protobuf,
]
let fuzzTargets: [Target] =
    fuzzing
    ? [
        .systemLibrary(name: "CLibFuzzer", path: "Tests/Fuzzing/CLibFuzzer"),
        .executableTarget(
            name: "Fuzzing",
            dependencies: fuzzed + ["CLibFuzzer"],
            path: "Tests/Fuzzing",
            exclude: ["CLibFuzzer", "Corpus", "CorpusTests.swift", "FindingsTests.swift"],
            swiftSettings: house
        ),
    ]
    : [
        .testTarget(
            name: "FuzzingTests",
            dependencies: fuzzed,
            path: "Tests/Fuzzing",
            exclude: ["CLibFuzzer", "Corpus", "Program"],
            swiftSettings: house
        )
    ]

// The version of all programs. Deploy/build sets it from git; any other build is on its way to this release.
let version = Context.environment["FLOTILLA_VERSION"] ?? "0.1.0"

// CI optimizes what simulations compute with, in a debug build too: they take most of the time of its tests.
let optimizes = Context.environment["FLOTILLA_OPTIMIZE_SIMULATIONS"] != nil
let computing: Set<String> = ["Records", "ServiceKit", "Simulation", "StreamKit", "WireFormats", "WorkerKit"]

/// A library of `Sources`, in the folder of its floor. Floors stand on each other, and imports go downwards only.
func room(_ name: String, on floor: String, dependencies: [Target.Dependency] = []) -> Target {
    .target(
        name: name,
        dependencies: dependencies,
        path: "Sources/\(floor)/\(name)",
        swiftSettings: house + (optimizes && computing.contains(name) ? [.unsafeFlags(["-O"])] : [])
    )
}

/// An executable: the main of a room that holds its commands.
func program(_ name: String, of room: String, on floor: String) -> Target {
    .executableTarget(
        name: name,
        dependencies: [.target(name: room), argumentParser],
        path: "Sources/\(floor)/Programs/\(name)",
        swiftSettings: house
    )
}

let package = Package(
    name: "flotilla",
    products: fuzzing
        ? []
        : [
            .executable(name: "activation-worker", targets: ["activation-worker"]),
            .executable(name: "dead-letters", targets: ["dead-letters"]),
            .executable(name: "devicecheck-worker", targets: ["devicecheck-worker"]),
            .executable(name: "fleet", targets: ["fleet"]),
            .executable(name: "flotilla", targets: ["flotilla"]),
            .executable(name: "flotilla-lab", targets: ["flotilla-lab"]),
            .executable(name: "gateway", targets: ["gateway"]),
            .executable(name: "push-arrival-worker", targets: ["push-arrival-worker"]),
            .executable(name: "receipt-worker", targets: ["receipt-worker"]),
            // The parts of a shell of your own, which Tests/Shells shows.
            .library(name: "FlotillaRecords", targets: ["FlotillaRecords"]),
            .library(name: "FlotillaWorkerKit", targets: ["FlotillaWorkerKit"]),
            .library(name: "FlotillaWorkerTestKit", targets: ["FlotillaWorkerTestKit"]),
        ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration", exact: "1.4.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/apple/swift-protobuf", exact: "1.39.0"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", exact: "2.1.1"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
        // Builds the manual in Deploy/docs. No target links it.
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", exact: "1.5.0"),
        // The packages that those above bring along.
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
        .package(url: "https://github.com/apple/swift-algorithms", exact: "1.2.1"),
        .package(url: "https://github.com/apple/swift-asn1", exact: "1.7.4"),
        .package(url: "https://github.com/apple/swift-async-algorithms", exact: "1.1.4"),
        .package(url: "https://github.com/apple/swift-atomics", exact: "1.3.0"),
        .package(url: "https://github.com/apple/swift-certificates", exact: "1.21.1"),
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", exact: "1.7.3"),
        .package(url: "https://github.com/swiftlang/swift-docc-symbolkit", exact: "1.0.0"),
        .package(url: "https://github.com/apple/swift-http-structured-headers", exact: "1.7.0"),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", exact: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-transport-services", exact: "1.28.0"),
        .package(url: "https://github.com/apple/swift-numerics", exact: "1.1.1"),
        .package(url: "https://github.com/apple/swift-service-context", exact: "1.5.1"),
        .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
    ],
    targets: [
        // MARK: System: module maps and shims of the C libraries. Each has one importer.
        .systemLibrary(
            name: "CRdKafka",
            path: "Sources/System/CRdKafka",
            pkgConfig: "rdkafka",
            providers: [.apt(["librdkafka-dev"])]
        ),
        .target(name: "CFileStatus", path: "Sources/System/CFileStatus"),
        .systemLibrary(name: "CMalloc", path: "Sources/System/CMalloc"),
        .systemLibrary(name: "CSpawn", path: "Sources/System/CSpawn"),
        .systemLibrary(
            name: "CCurl",
            path: "Sources/System/CCurl",
            pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]
        ),
        .systemLibrary(
            name: "COpenSSL",
            path: "Sources/System/COpenSSL",
            pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"])]
        ),
        .systemLibrary(
            name: "CLZ4",
            path: "Sources/System/CLZ4",
            pkgConfig: "liblz4",
            providers: [.apt(["liblz4-dev"])]
        ),
        .systemLibrary(
            name: "CSnappy",
            path: "Sources/System/CSnappy",
            pkgConfig: "snappy",
            providers: [.apt(["libsnappy-dev"])]
        ),
        .target(
            name: "CVersion",
            path: "Sources/System/CVersion",
            cSettings: [.define("FLOTILLA_VERSION", to: "\"\(version)\"")]
        ),
        // Prepares OpenSSL before its first use in a process, by our targets, librdkafka or libcurl.
        .target(
            name: "COpenSSLStart",
            path: "Sources/System/COpenSSLStart",
            linkerSettings: [.linkedLibrary("crypto")]
        ),
        // The simulators judge signatures with a module of their own, so that they share nothing with a worker.
        .systemLibrary(
            name: "COpenSSLForUpstreams",
            path: "Sources/System/COpenSSLForUpstreams",
            pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"])]
        ),
        // OpenSSL alone, as the measure of what our verification costs. Nothing that ships links it.
        .systemLibrary(
            name: "COpenSSLForMeasuring",
            path: "Sources/System/COpenSSLForMeasuring",
            pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"])]
        ),
        // The phone's side of an upload, and the measure of what our decoding of it costs. Nothing that ships links
        // it.
        .target(
            name: "CUploadFloor",
            path: "Sources/System/CUploadFloor",
            linkerSettings: [.linkedLibrary("lz4"), .linkedLibrary("snappy")]
        ),

        // MARK: Clients: one thin wrapper for each C library, and the record that client and codecs share.
        room("Records", on: "Clients"),
        room("EventThread", on: "Clients"),
        room("Kafka", on: "Clients", dependencies: ["COpenSSLStart", "CRdKafka", "EventThread", "Records"]),
        room("UpstreamHTTP", on: "Clients", dependencies: ["CCurl", "COpenSSLStart"]),
        room("Cryptography", on: "Clients", dependencies: ["COpenSSL", "COpenSSLStart"]),
        room("Compression", on: "Clients", dependencies: ["CLZ4", "CSnappy"]),

        // MARK: Wire: the codec. Pure.
        // WireMessages is generated from Schemas/, so the rules of this house do not apply to it.
        .target(name: "WireMessages", dependencies: [protobuf], path: "Sources/Wire/WireMessages"),
        room(
            "WireFormats",
            on: "Wire",
            dependencies: ["Compression", "Cryptography", "Records", "WireMessages", protobuf]
        ),

        // MARK: Operations: settings, logs, metrics, health; terminals and browsers.
        room(
            "Operations",
            on: "Operations",
            dependencies: [
                "CFileStatus", configuration, coreMetrics, hummingbird, hummingbirdCore, lifecycle, logging,
                nioCore, nioHTTP1, nioPosix, yams,
            ]
        ),
        room(
            "ServerTLS",
            on: "Operations",
            dependencies: ["Operations", hummingbirdCore, hummingbirdTLS, nioCore, nioSSL]
        ),
        room(
            "Terminal",
            on: "Operations",
            dependencies: ["CSpawn", "EventThread", argumentParser, unixSignals]
        ),
        room(
            "WebPages",
            on: "Operations",
            dependencies: [
                "Cryptography", "WireFormats", hummingbird, hummingbirdCore, mustache, nioCore,
            ]
        ),

        // MARK: Engine: the process and the ports of every engine; engines of calls and of states.
        room(
            "ServiceKit",
            on: "Engine",
            dependencies: [
                "CVersion", "Cryptography", "EventThread", "Kafka", "Operations", "Records", "Terminal",
                "UpstreamHTTP", lifecycle, logging, metrics, unixSignals,
            ]
        ),
        room(
            "WorkerKit",
            on: "Engine",
            dependencies: [
                "Cryptography", "EventThread", "Kafka", "Operations", "Records", "ServiceKit", "Terminal",
                "UpstreamHTTP", "WireFormats", argumentParser, coreMetrics, lifecycle, logging, metrics,
            ]
        ),
        room(
            "StreamKit",
            on: "Engine",
            dependencies: [
                "CMalloc", "EventThread", "Kafka", "Operations", "Records", "ServiceKit", "WireFormats",
                coreMetrics, lifecycle, logging, metrics,
            ]
        ),

        // MARK: Workers: a handler, its settings and its commands.
        room(
            "ActivationIntake",
            on: "Workers",
            dependencies: [
                "Cryptography", "Kafka", "Operations", "Records", "ServiceKit", "StreamKit", "WireFormats",
                "WorkerKit", argumentParser, lifecycle, logging, metrics,
            ]
        ),
        room(
            "ActivationWorker",
            on: "Workers",
            dependencies: [
                "ActivationIntake", "EventThread", "Operations", "Records", "ServiceKit", "Terminal",
                "UpstreamHTTP",
                "WireFormats", "WorkerKit", argumentParser, lifecycle, logging, metrics,
            ]
        ),
        program("activation-worker", of: "ActivationWorker", on: "Workers"),
        room(
            "DeviceCheckWorker",
            on: "Workers",
            dependencies: [
                "Cryptography", "Operations", "Records", "ServiceKit", "UpstreamHTTP", "WireFormats",
                "WorkerKit", argumentParser, lifecycle, metrics,
            ]
        ),
        program("devicecheck-worker", of: "DeviceCheckWorker", on: "Workers"),
        room(
            "ReceiptWorker",
            on: "Workers",
            dependencies: [
                "Cryptography", "Operations", "Records", "ServiceKit", "UpstreamHTTP", "WireFormats",
                "WorkerKit", argumentParser, lifecycle,
            ]
        ),
        program("receipt-worker", of: "ReceiptWorker", on: "Workers"),
        room(
            "PushStatistics",
            on: "Workers",
            dependencies: [
                "Cryptography", "ServiceKit", "WireFormats", "WireMessages", protobuf,
            ]
        ),
        room(
            "PushArrivalPages",
            on: "Workers",
            dependencies: [
                "EventThread", "Kafka", "Operations", "Records", "WebPages", "WireFormats", hummingbird,
                lifecycle, logging,
            ]
        ),
        room(
            "PushArrivalWorker",
            on: "Workers",
            dependencies: [
                "Cryptography", "Kafka", "Operations", "PushArrivalPages", "PushStatistics", "Records",
                "ServiceKit", "StreamKit", "UpstreamHTTP", "WireFormats", "WorkerKit", argumentParser,
                lifecycle, logging, metrics,
            ]
        ),
        program("push-arrival-worker", of: "PushArrivalWorker", on: "Workers"),
        room(
            "Gateway",
            on: "Workers",
            dependencies: [
                "EventThread", "Kafka", "Operations", "Records", "ServerTLS", "ServiceKit", "WireFormats",
                "WorkerKit", argumentParser, lifecycle, logging, metrics, nioCore, nioHTTP1,
            ]
        ),
        program("gateway", of: "Gateway", on: "Workers"),

        // MARK: DeadLetters: finds, indexes, mends and replays dead letters.
        room(
            "DeadLetters",
            on: "DeadLetters",
            dependencies: [
                "Cryptography", "EventThread", "Kafka", "Operations", "Records", "ServiceKit", "WireFormats",
                "WireMessages", "WorkerKit",
                grdb, grdbSQLite, protobuf,
            ]
        ),
        room(
            "DeadLetterPages",
            on: "DeadLetters",
            dependencies: [
                "Cryptography", "DeadLetters", "EventThread", "Operations", "ServerTLS", "UpstreamHTTP",
                "WebPages", "WireFormats", hummingbird, hummingbirdCore, lifecycle, nioCore,
            ]
        ),
        room(
            "DeadLetterTool",
            on: "DeadLetters",
            dependencies: [
                "DeadLetterPages", "DeadLetters", "EventThread", "Kafka", "Operations", "Records",
                "ServerTLS", "ServiceKit", "Terminal", "WireFormats", argumentParser, lifecycle, logging,
                unixSignals,
            ]
        ),
        program("dead-letters", of: "DeadLetterTool", on: "DeadLetters"),

        // MARK: Fleet: the operator's command.
        room(
            "Fleet",
            on: "Fleet",
            dependencies: [
                "ActivationIntake", "ActivationWorker", "Cryptography", "DeadLetters", "DeviceCheckWorker",
                "EventThread", "Gateway", "Kafka", "Operations", "PushArrivalWorker", "PushStatistics",
                "ReceiptWorker", "Records", "ServiceKit", "StreamKit", "Terminal", "UpstreamHTTP",
                "WireFormats", "WorkerKit",
                argumentParser, logging,
            ]
        ),
        program("fleet", of: "Fleet", on: "Fleet"),
        // All production programs in one file, for images and packages.
        .executableTarget(
            name: "flotilla",
            dependencies: [
                "ActivationWorker", "DeadLetterTool", "DeviceCheckWorker", "Fleet", "Gateway",
                "PushArrivalWorker", "ReceiptWorker", "Terminal", argumentParser,
            ],
            path: "Sources/Fleet/Programs/flotilla",
            swiftSettings: house
        ),

        // MARK: Lab: everything that only tests, tries and measures. No production program links it.
        // The engines that ship, on a clock, a cluster and an upstream that one seed determines.
        room(
            "Simulation",
            on: "Lab",
            dependencies: [
                "ActivationIntake", "Kafka", "Operations", "Records", "ServiceKit", "StreamKit",
                "UpstreamHTTP",
                "WireFormats", "WorkerKit", coreMetrics, logging,
            ]
        ),
        // The upstreams as small servers that share no code with the workers.
        room(
            "UpstreamSimulator",
            on: "Lab",
            dependencies: [
                "COpenSSLForUpstreams", "COpenSSLStart", nioCore, nioHTTP1, nioPosix,
            ]
        ),
        // A Kafka broker in memory.
        room("EmbeddedBroker", on: "Lab", dependencies: ["Cryptography", nioCore, nioPosix, nioSSL]),
        // Runs programs, listens to their output and their topics, and stops them.
        room(
            "Harness",
            on: "Lab",
            dependencies: [
                "CUploadFloor", "EmbeddedBroker", "EventThread", "Kafka", "Operations", "Records", "Terminal",
                "UpstreamHTTP", "WireFormats", "WireMessages", argumentParser, protobuf,
            ]
        ),
        // The demo, and the first record of one worker.
        room(
            "Rehearsal",
            on: "Lab",
            dependencies: [
                "Fleet", "Harness", "Kafka", "Operations", "Records", "ServiceKit", "Terminal",
                "UpstreamHTTP",
                "UpstreamSimulator", "WireFormats", "WireMessages", "WorkerKit", protobuf,
            ]
        ),
        // Chaos, and measurements of the cost of a record.
        room(
            "Trials",
            on: "Lab",
            dependencies: [
                "COpenSSLForMeasuring", "COpenSSLStart", "Cryptography", "EventThread", "Fleet", "Harness",
                "Kafka", "Operations", "PushStatistics", "Records", "ServiceKit", "Terminal", "UpstreamHTTP",
                "UpstreamSimulator", "WireFormats", "WireMessages", "WorkerKit", protobuf,
            ]
        ),
        room(
            "FlotillaLab",
            on: "Lab",
            dependencies: [
                "Cryptography", "EmbeddedBroker", "EventThread", "Fleet", "Harness", "Kafka",
                "PushStatistics", "Records", "Rehearsal", "ServiceKit", "Simulation", "Terminal", "Trials",
                "UpstreamSimulator", "WireFormats", "WorkerKit", argumentParser,
            ]
        ),
        program("flotilla-lab", of: "FlotillaLab", on: "Lab"),

        // MARK: Shell: the public surface, for packages that build workers and readers of their own.
        room(
            "FlotillaRecords",
            on: "Shell",
            dependencies: ["Records", "WireFormats", "WireMessages", protobuf]
        ),
        room(
            "FlotillaWorkerKit",
            on: "Shell",
            dependencies: [
                "ActivationIntake", "ActivationWorker", "FlotillaRecords", "Kafka", "Operations", "Records",
                "ServiceKit", "UpstreamHTTP", "WireFormats", "WorkerKit", argumentParser, lifecycle,
            ]
        ),
        room(
            "FlotillaWorkerTestKit",
            on: "Shell",
            dependencies: [
                "ActivationIntake", "FlotillaRecords", "FlotillaWorkerKit", "Operations", "Records",
                "ServiceKit", "Simulation", "UpstreamHTTP", "WireFormats", "WorkerKit",
            ]
        ),

        // How the sources themselves are kept.
        .testTarget(
            name: "HouseTests",
            dependencies: ["WorkerTestSupport"] + pinned,
            exclude: ["PublicSurface.txt"],
            swiftSettings: house
        ),
        .testTarget(
            name: "ShellTests",
            dependencies: [
                "DeadLetters", "FlotillaRecords", "FlotillaWorkerKit", "FlotillaWorkerTestKit", "Kafka",
                "Records", "ServiceKit", "Simulation", "UpstreamHTTP", "WireFormats", "WorkerKit",
                "WorkerTestSupport",
            ],
            swiftSettings: house
        ),
        .testTarget(name: "EventThreadTests", dependencies: ["EventThread"], swiftSettings: house),
        .testTarget(
            name: "KafkaTests",
            dependencies: ["CRdKafka", "EventThread", "Kafka", "Records"],
            swiftSettings: house
        ),
        .testTarget(
            name: "UpstreamHTTPTests",
            dependencies: ["UpstreamHTTP", "WorkerTestSupport"],
            swiftSettings: house
        ),
        .testTarget(
            name: "CompressionTests",
            dependencies: ["Compression", "ServiceKit"],
            swiftSettings: house
        ),
        .testTarget(
            name: "CryptographyTests",
            dependencies: ["COpenSSL", "Cryptography", "TestMaterial"],
            swiftSettings: house
        ),
        .testTarget(
            name: "WireFormatsTests",
            dependencies: [
                "Cryptography", "Records", "TestMaterial", "UpstreamSimulator", "WireFormats", "WireMessages",
                "WorkerTestSupport", protobuf,
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "OperationsTests",
            dependencies: [
                "Operations", "ServerTLS", "WorkerTestSupport", configuration, coreMetrics, lifecycle,
                logging,
                metrics, nioCore,
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "ServiceKitTests",
            dependencies: [
                "EmbeddedBroker", "EventThread", "Kafka", "Operations", "Records", "ServiceKit", "Terminal",
                "UpstreamHTTP", "WorkerTestSupport", logging,
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "StreamKitTests",
            dependencies: [
                "EventThread", "Kafka", "Operations", "ServiceKit", "Simulation", "StreamKit", "WorkerKit",
                "WorkerTestSupport",
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "WorkerKitTests",
            dependencies: [
                "Kafka", "Operations", "ServiceKit", "Simulation", "WorkerKit", "WorkerTestSupport", logging,
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "DeadLettersTests",
            dependencies: [
                "Cryptography", "DeadLetters", "EmbeddedBroker", "EventThread", "Kafka", "Operations",
                "Records", "ServiceKit", "TestMaterial", "WireFormats", "WireMessages", "WorkerKit",
                "WorkerTestSupport", grdb, protobuf,
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "PushArrivalWorkerTests",
            dependencies: [
                "Kafka", "Operations", "PushArrivalWorker", "PushStatistics", "Records", "ServiceKit",
                "StreamKit", "WireFormats", "WorkerKit", "WorkerTestSupport",
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "GatewayTests",
            dependencies: [
                "EmbeddedBroker", "EventThread", "gateway", "Gateway", "Kafka",
                "NotificationServiceExtension",
                "Operations", "Records", "ServiceKit", "WireFormats", "WorkerTestSupport", lifecycle, logging,
                nioCore, nioEmbedded, nioHTTP1,
            ],
            swiftSettings: house
        ),
        // The sample of an extension for iOS, and as much of Apple's framework as it needs.
        .target(
            name: "NotificationServiceExtension",
            dependencies: ["UserNotifications"],
            path: "Schemas/examples/notification-service-extension"
        ),
        .target(name: "UserNotifications", path: "Tests/UserNotifications"),
        // The names of metrics in the code, in the rules of Prometheus and on the dashboard.
        .testTarget(
            name: "ObservationTests",
            dependencies: [
                "ActivationIntake", "ActivationWorker", "DeadLetterPages", "DeviceCheckWorker", "Gateway",
                "Operations",
                "PushArrivalWorker", "ServiceKit", "WorkerKit", "WorkerTestSupport",
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "PushStatisticsTests",
            dependencies: [
                "PushStatistics", "Records", "ServiceKit", "TestMaterial", "WireFormats", "WorkerKit",
            ],
            swiftSettings: house
        ),
        // Vectors, keys and seeded numbers, for tests of several rooms and for the fuzzing.
        .target(
            name: "TestMaterial",
            dependencies: ["Cryptography", "WireFormats"],
            path: "Tests/TestMaterial",
            exclude: ["Vectors"],
            swiftSettings: house
        ),
        // What the tests of every worker use.
        .target(
            name: "WorkerTestSupport",
            dependencies: ["EventThread", "Kafka", "Records", "Terminal", logging],
            path: "Tests/WorkerTestSupport",
            swiftSettings: house
        ),
        .testTarget(
            name: "ActivationIntakeTests",
            dependencies: [
                "ActivationIntake", "Kafka", "Operations", "Records", "ServiceKit", "Simulation", "StreamKit",
                "TestMaterial", "WireFormats", "WorkerKit", "WorkerTestSupport",
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "ActivationWorkerTests",
            dependencies: [
                "ActivationWorker", "EventThread", "FlotillaWorkerTestKit", "Operations", "Records",
                "ServiceKit", "Simulation", "TestMaterial", "UpstreamHTTP", "UpstreamSimulator",
                "WireFormats", "WorkerKit", "WorkerTestSupport", logging,
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "DeviceCheckWorkerTests",
            dependencies: [
                "Cryptography", "DeviceCheckWorker", "Operations", "Records", "ServiceKit", "TestMaterial",
                "UpstreamHTTP",
                "WireFormats", "WorkerKit", "WorkerTestSupport", configuration, lifecycle, logging,
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "ReceiptWorkerTests",
            dependencies: [
                "Cryptography", "Operations", "ReceiptWorker", "Records", "ServiceKit", "TestMaterial",
                "UpstreamHTTP",
                "UpstreamSimulator", "WireFormats", "WorkerKit", "WorkerTestSupport", lifecycle, logging,
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "UpstreamSimulatorTests",
            dependencies: ["TestMaterial", "UpstreamSimulator"],
            swiftSettings: house
        ),
        .testTarget(
            name: "EmbeddedBrokerTests",
            dependencies: [
                "CRdKafka", "EmbeddedBroker", "EventThread", "Kafka", "Records", "WorkerTestSupport", nioCore,
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "FleetTests",
            dependencies: [
                "ActivationIntake", "DeadLetters", "Fleet", "Kafka", "Operations", "Records", "ServiceKit",
                "StreamKit", "Terminal", "UpstreamHTTP", "WireFormats", "WorkerKit", "WorkerTestSupport",
                argumentParser,
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "FlotillaLabTests",
            dependencies: [
                "EmbeddedBroker", "Fleet", "Harness", "Kafka", "Operations", "Records", "Rehearsal",
                "ServiceKit", "Terminal", "Trials", "UpstreamSimulator", "WireFormats", "WireMessages",
                "WorkerKit",
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "DeadLetterToolTests",
            dependencies: ["DeadLetters", "DeadLetterTool", "WireFormats", "WorkerTestSupport"],
            swiftSettings: house
        ),
        .testTarget(
            name: "DeadLetterPagesTests",
            dependencies: [
                "DeadLetterPages", "DeadLetters", "EmbeddedBroker", "EventThread", "Kafka", "Operations",
                "Records", "ServerTLS", "ServiceKit", "WebPages", "WireFormats", "WorkerKit",
                "WorkerTestSupport", hummingbird, hummingbirdCore, lifecycle, logging,
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "PushArrivalPagesTests",
            dependencies: [
                "EmbeddedBroker", "EventThread", "Kafka", "Operations", "PushArrivalPages", "Records",
                "ServiceKit", "TestMaterial", "WebPages", "WireFormats", "WireMessages", "WorkerTestSupport",
                configuration,
                lifecycle, logging, protobuf,
            ],
            swiftSettings: house
        ),
        // A worker that some records kill, for the tests of what comes after that.
        .executableTarget(
            name: "DeadlyWorker",
            dependencies: [
                "Operations", "Records", "ServiceKit", "Terminal", "UpstreamHTTP", "WireFormats", "WorkerKit",
                argumentParser,
            ],
            path: "Tests/DeadlyWorker",
            swiftSettings: house
        ),
        // The real executables against a real broker.
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "activation-worker", "dead-letters", "devicecheck-worker", "EmbeddedBroker", "EventThread",
                "fleet", "flotilla-lab", "Kafka", "push-arrival-worker", "receipt-worker", "Records",
                "TestMaterial",
                "UpstreamSimulator", "WireFormats", "WorkerTestSupport",
            ],
            swiftSettings: house
        ),
    ] + fuzzTargets
)

if fuzzing {
    // Coverage of our own code guides the fuzzing; counters of all else would only slow it down. lld, because gold
    // does not get along with what the sanitizers add.
    for target in package.targets where target.type == .regular || target.type == .executable {
        let sanitized = ["-sanitize=address,fuzzer"]
        target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(sanitized + ["-enable-testing"])]
        target.linkerSettings = [.unsafeFlags(sanitized + ["-use-ld=lld"])]
    }
}
