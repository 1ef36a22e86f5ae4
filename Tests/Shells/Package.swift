// swift-tools-version: 6.2

import PackageDescription

// Shells of a company that uses Flotilla's libraries. Deploy/test builds and runs this package.
let kit = Target.Dependency.product(name: "FlotillaWorkerKit", package: "flotilla")
let records = Target.Dependency.product(name: "FlotillaRecords", package: "flotilla")
let testKit = Target.Dependency.product(name: "FlotillaWorkerTestKit", package: "flotilla")

let package = Package(
    name: "shells",
    dependencies: [.package(name: "flotilla", path: "../..")],
    targets: [
        // A new worker with an upstream of its own. It takes the channel of the other shell.
        // Its settings are those that many packages have; the other target has the language's defaults.
        .executableTarget(
            name: "WarehouseWorker",
            dependencies: [kit, records],
            swiftSettings: [
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]
        ),
        // The activation worker with an encryption, an interceptor and a channel of the company's own.
        .executableTarget(name: "HouseActivationWorker", dependencies: [kit, records]),
        .testTarget(
            name: "ShellsTests",
            dependencies: ["HouseActivationWorker", "WarehouseWorker", kit, records, testKit]
        ),
    ]
)
