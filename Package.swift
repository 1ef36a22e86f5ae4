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

// The fuzz targets are a part of the tests, which run the kept corpus through them. With FLOTILLA_FUZZ they are a
// program around libFuzzer instead, and nothing else is: Deploy/fuzz builds it in a folder of its own.
let fuzzing = Context.environment["FLOTILLA_FUZZ"] != nil
let fuzzed: [Target.Dependency] = [
    "ActivationWorker", "Cryptography", "EmbeddedBroker", "EventThread", "Fleet", "Kafka", "Operations",
    "Records", "UpstreamHTTP", "UpstreamSimulator", "WireFormats", "WireMessages",
    "WorkerKit", nioCore, nioEmbedded, protobuf,
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

/// A program cannot be linked into another. Without the file of its @main it is a library, and can be fuzzed.
func program(_ name: String, dependencies: [Target.Dependency]) -> Target {
    fuzzing
        ? .target(name: name, dependencies: dependencies, exclude: ["\(name).swift"], swiftSettings: house)
        : .executableTarget(name: name, dependencies: dependencies, swiftSettings: house)
}

let package = Package(
    name: "flotilla",
    products: fuzzing
        ? []
        : [
            .executable(name: "activation-worker", targets: ["ActivationWorker"]),
            .executable(name: "dead-letters", targets: ["DeadLetterTool"]),
            .executable(name: "devicecheck-worker", targets: ["DeviceCheckWorker"]),
            .executable(name: "push-arrival-worker", targets: ["PushArrivalWorker"]),
            .executable(name: "receipt-worker", targets: ["ReceiptWorker"]),
            .executable(name: "fleet", targets: ["Fleet"]),
        ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        // Builds the manual in Deploy/docs. No target links it.
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"),
    ],
    targets: [
        // System libraries: one module map each, and a shim for what Swift cannot call.
        .systemLibrary(name: "CRdKafka", pkgConfig: "rdkafka", providers: [.apt(["librdkafka-dev"])]),
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(name: "CSpawn"),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        // Before OpenSSL's first use in a process, whoever brings it: our targets, librdkafka or libcurl.
        .target(name: "COpenSSLStart", linkerSettings: [.linkedLibrary("crypto")]),
        // The same once more: what the simulators make of a signature must be nothing that a worker made.
        .systemLibrary(
            name: "COpenSSLForUpstreams",
            pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"])]
        ),

        // A record as Kafka carries it: the one noun that both the client and the codecs speak.
        .target(name: "Records", swiftSettings: house),

        // Thin wrappers, each the only importer of its C library.
        .target(name: "EventThread", swiftSettings: house),
        .target(
            name: "Kafka",
            dependencies: ["COpenSSLStart", "CRdKafka", "EventThread", "Records"],
            swiftSettings: house
        ),
        .target(name: "UpstreamHTTP", dependencies: ["CCurl", "COpenSSLStart"], swiftSettings: house),
        .target(name: "Cryptography", dependencies: ["COpenSSL", "COpenSSLStart"], swiftSettings: house),

        // What protoc makes of Schemas/. Generated code has its own idea of memory safety, so not our dialect.
        .target(name: "WireMessages", dependencies: [protobuf]),

        // What is on the wire. Pure.
        .target(
            name: "WireFormats",
            dependencies: ["Cryptography", "Records", "WireMessages", protobuf],
            swiftSettings: house
        ),

        // What a command shows on a terminal, and how it is asked to stop.
        .target(
            name: "Terminal",
            dependencies: ["CSpawn", "EventThread", argumentParser, unixSignals],
            swiftSettings: house
        ),

        // What an operator sees: settings, logs, metrics, health.
        .target(
            name: "Operations",
            dependencies: [
                configuration, coreMetrics, hummingbird, hummingbirdCore, lifecycle, logging, metrics,
                nioCore, yams,
            ],
            swiftSettings: house
        ),

        // The engine, and the service around it.
        .target(
            name: "WorkerKit",
            dependencies: [
                "Cryptography", "EventThread", "Kafka", "UpstreamHTTP", "Records", "WireFormats",
                "Operations", "Terminal",
                argumentParser, coreMetrics, lifecycle, logging, metrics, unixSignals,
            ],
            swiftSettings: house
        ),

        // What pages for people with browsers have in common, whatever is on them.
        .target(
            name: "WebPages",
            dependencies: [
                "Cryptography", "WireFormats", hummingbird, hummingbirdCore, mustache, nioCore,
            ],
            swiftSettings: house
        ),

        // What lies dead: found, indexed, replayed once, and followed to its end.
        .target(
            name: "DeadLetters",
            dependencies: [
                "Cryptography", "EventThread", "Kafka", "Operations", "Records", "WireFormats", grdb,
                grdbSQLite,
            ],
            swiftSettings: house
        ),
        // The same for those who would rather look.
        .target(
            name: "DeadLetterPages",
            dependencies: [
                "Cryptography", "DeadLetters", "EventThread", "Operations", "WebPages", "WireFormats",
                hummingbird, hummingbirdCore, hummingbirdTLS, lifecycle, nioCore, nioSSL,
            ],
            swiftSettings: house
        ),
        // How notifications arrive, for a product manager with a browser.
        .target(
            name: "PushArrivalPages",
            dependencies: [
                "EventThread", "Kafka", "Operations", "Records", "WebPages", "WireFormats",
                hummingbird, lifecycle, logging,
            ],
            swiftSettings: house
        ),
        program(
            "DeadLetterTool",
            dependencies: [
                "DeadLetterPages", "DeadLetters", "EventThread", "Kafka", "Operations", "Records", "Terminal",
                "WireFormats", "WorkerKit", argumentParser, lifecycle, logging, unixSignals,
            ]
        ),

        // The engine for work whose result is a state: one task for each partition, one transaction for all of them.
        .target(
            name: "StreamKit",
            dependencies: [
                "CMalloc", "EventThread", "Kafka", "Operations", "Records", "WorkerKit", coreMetrics,
                lifecycle, logging, metrics,
            ],
            swiftSettings: house
        ),

        // What is counted of pushes: devices, cohorts, tallies, and what becomes of them when they are added up.
        .target(
            name: "PushStatistics",
            dependencies: ["Cryptography", "WireFormats", "WireMessages", "WorkerKit", protobuf],
            swiftSettings: house
        ),

        // Workers: a handler, its settings, and a main.
        program(
            "ActivationWorker",
            dependencies: [
                "WorkerKit", "Records", "WireFormats", "Operations", "UpstreamHTTP", argumentParser,
                lifecycle,
            ]
        ),

        program(
            "DeviceCheckWorker",
            dependencies: [
                "Cryptography", "WorkerKit", "Records", "WireFormats", "Operations", "UpstreamHTTP",
                argumentParser, lifecycle, logging, metrics,
            ]
        ),

        program(
            "ReceiptWorker",
            dependencies: [
                "Cryptography", "WorkerKit", "Records", "WireFormats", "Operations", "UpstreamHTTP",
                argumentParser, lifecycle, logging,
            ]
        ),

        program(
            "PushArrivalWorker",
            dependencies: [
                "Cryptography", "Kafka", "Operations", "PushArrivalPages", "PushStatistics", "Records",
                "StreamKit",
                "UpstreamHTTP",
                "WireFormats", "WorkerKit", argumentParser, lifecycle, logging, metrics,
            ]
        ),

        // The engine that ships, on a clock, a cluster and an upstream that one seed decides.
        .target(
            name: "Simulation",
            dependencies: [
                "Kafka", "Records", "StreamKit", "UpstreamHTTP", "WireFormats", "WorkerKit", coreMetrics,
                logging,
            ],
            swiftSettings: house
        ),

        // The upstreams we talk to, as small servers that share no code with the workers.
        .target(
            name: "UpstreamSimulator",
            dependencies: ["COpenSSLForUpstreams", "COpenSSLStart", nioCore, nioHTTP1, nioPosix],
            swiftSettings: house
        ),
        // A Kafka broker in memory, for tests and chaos runs.
        .target(
            name: "EmbeddedBroker",
            dependencies: [nioCore, nioPosix],
            swiftSettings: house
        ),
        program(
            "Fleet",
            dependencies: [
                "Cryptography", "EmbeddedBroker", "EventThread", "Kafka", "Records", "WireFormats",
                "WireMessages", "WorkerKit", "PushStatistics",
                "UpstreamHTTP", "UpstreamSimulator", "Operations", "Simulation", "Terminal",
                argumentParser, protobuf, unixSignals,
            ]
        ),

        // How the sources themselves are kept.
        .testTarget(name: "HouseTests", dependencies: ["WorkerTestSupport"], swiftSettings: house),
        .testTarget(name: "EventThreadTests", dependencies: ["EventThread"], swiftSettings: house),
        .testTarget(
            name: "KafkaTests",
            dependencies: ["EventThread", "Kafka", "Records"],
            swiftSettings: house
        ),
        .testTarget(
            name: "UpstreamHTTPTests",
            dependencies: ["UpstreamHTTP", "WorkerTestSupport"],
            swiftSettings: house
        ),
        .testTarget(
            name: "CryptographyTests",
            dependencies: ["COpenSSL", "Cryptography"],
            swiftSettings: house
        ),
        .testTarget(
            name: "WireFormatsTests",
            dependencies: [
                "WireFormats", "WireMessages", "WorkerTestSupport", "Records", "Cryptography",
                "UpstreamSimulator", protobuf,
            ],
            resources: [.copy("Vectors")],
            swiftSettings: house
        ),
        .testTarget(
            name: "OperationsTests",
            dependencies: [
                "Operations", "WorkerTestSupport", configuration, coreMetrics, lifecycle, logging, metrics,
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "StreamKitTests",
            dependencies: [
                "EventThread", "Kafka", "Operations", "Simulation", "StreamKit", "WorkerKit",
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "WorkerKitTests",
            dependencies: ["Operations", "Simulation", "Terminal", "WorkerKit", logging],
            swiftSettings: house
        ),
        .testTarget(
            name: "DeadLettersTests",
            dependencies: [
                "Cryptography", "DeadLetters", "EmbeddedBroker", "EventThread", "Kafka", "Operations",
                "Records",
                "WireFormats", "WorkerTestSupport", grdb,
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "PushArrivalWorkerTests",
            dependencies: [
                "Kafka", "Operations", "PushArrivalWorker", "PushStatistics", "Records", "StreamKit",
                "WireFormats",
                "WorkerKit", "WorkerTestSupport",
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "PushStatisticsTests",
            dependencies: ["PushStatistics", "Records", "WireFormats", "WorkerKit"],
            resources: [.copy("Vectors")],
            swiftSettings: house
        ),
        // What the tests of every worker use.
        .target(
            name: "WorkerTestSupport",
            dependencies: ["EventThread", "Terminal", logging],
            path: "Tests/WorkerTestSupport",
            swiftSettings: house
        ),
        .testTarget(
            name: "ActivationWorkerTests",
            dependencies: [
                "ActivationWorker", "Operations", "Records", "UpstreamHTTP", "WireFormats", "WorkerKit",
                "WorkerTestSupport", logging,
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "DeviceCheckWorkerTests",
            dependencies: [
                "Cryptography", "DeviceCheckWorker", "Operations", "Records", "UpstreamHTTP", "WireFormats",
                "WorkerKit", "WorkerTestSupport", configuration, lifecycle, logging,
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "ReceiptWorkerTests",
            dependencies: [
                "Cryptography", "Operations", "ReceiptWorker", "Records", "UpstreamHTTP", "UpstreamSimulator",
                "WireFormats", "WorkerKit", "WorkerTestSupport", lifecycle, logging,
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "UpstreamSimulatorTests",
            dependencies: ["UpstreamSimulator"],
            swiftSettings: house
        ),
        .testTarget(
            name: "EmbeddedBrokerTests",
            dependencies: ["CRdKafka", "EmbeddedBroker", "EventThread", "Kafka", "Records", nioCore],
            swiftSettings: house
        ),
        .testTarget(
            name: "FleetTests",
            dependencies: [
                "EmbeddedBroker", "Fleet", "Kafka", "Records", "Terminal", "UpstreamSimulator", "WireFormats",
                "WireMessages", "WorkerKit",
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "DeadLetterToolTests",
            dependencies: ["DeadLetterTool", "DeadLetters", "WorkerTestSupport"],
            swiftSettings: house
        ),
        .testTarget(
            name: "DeadLetterPagesTests",
            dependencies: [
                "DeadLetterPages", "DeadLetters", "EmbeddedBroker", "EventThread", "Kafka", "Operations",
                "Records", "WebPages", "WireFormats", "WorkerTestSupport", lifecycle, logging,
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "PushArrivalPagesTests",
            dependencies: [
                "EmbeddedBroker", "EventThread", "Kafka", "Operations", "PushArrivalPages", "Records",
                "WebPages",
                "WireFormats", "WireMessages", "WorkerTestSupport", configuration, lifecycle, logging,
                protobuf,
            ],
            swiftSettings: house
        ),
        // A worker that some records kill, for the tests of what comes after that.
        .executableTarget(
            name: "DeadlyWorker",
            dependencies: [
                "Operations", "Records", "UpstreamHTTP", "WireFormats", "WorkerKit", argumentParser,
            ],
            path: "Tests/DeadlyWorker",
            swiftSettings: house
        ),
        // The real executables against a real broker.
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "ActivationWorker", "DeadLetterTool", "DeviceCheckWorker", "EmbeddedBroker", "EventThread",
                "Fleet", "Kafka", "PushArrivalWorker", "ReceiptWorker", "Records", "UpstreamSimulator",
                "WireFormats",
                "WorkerTestSupport",
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
