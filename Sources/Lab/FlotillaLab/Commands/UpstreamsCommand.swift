import ArgumentParser
import Foundation
import Harness
import Terminal
import UpstreamSimulator

/// `flotilla-lab upstreams`: runs servers on this machine that simulate the upstreams of the workers.
struct UpstreamsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upstreams",
        abstract: "Run the simulator of GDT's conversion API, and print its URL on the first line.",
        discussion: """
            It judges every report like the real one: signature, cipher, muid, time and rule. With --scripted a \
            click id says what goes wrong: sim-503x2-… answers 503 twice, sim-cutafterx1-… accepts the report \
            and cuts the connection, sim-ret-12x2-… says -12 twice. At any time POST /control/faults switches \
            faults on for everybody, and GET /control/stats and /control/accepted tell what came in.

            With --team, Apple's DeviceCheck is simulated too, on a port of its own, whose URL follows on the second \
            line; development is below it at /development. It verifies every token, keeps the bits of each device, \
            and takes any base64 for a device token; one that reads device=…;environment=…;made=… belongs to that \
            environment and expires. POST /control/faults switches faults on, POST /control/teams replaces the \
            teams, and GET /control/stats, /control/bits and /control/calls tell what came in.

            With --store, Apple's verifyReceipt and App Store Server API are simulated too, on one more port, whose URL \
            follows on the next line; the sandbox is below it at /sandbox. POST /control/purchases says what has been \
            bought, and POST /control/apps by whom it may be asked about. All that it signs leads to the root certificate \
            that --store-root writes.

            With --marketing, the Tencent Ads Marketing API is simulated too, on one more port, whose URL follows on the \
            next line: /v3.0/user_actions/add, /oauth/token and /conv. It checks tokens, timestamps and nonces, refuses \
            a batch with one bad action as a whole (a click id that begins with bad makes one), and GET \
            /control/conversions tells each conversion by its outer_action_id.
            """
    )

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port; 0 takes any free one.")
    var port = 0

    @Option(
        help: ArgumentHelp(
            "A JSON file with the accounts: [{\"app_id\":…,\"advertiser_id\":…,\"sign_key\":…,\"encrypt_key\":…}].",
            valueName: "file"
        )
    )
    var keys: String?

    @Option(
        name: .customLong("app"),
        help: ArgumentHelp(
            "An account; can be repeated.",
            valueName: "app-id:advertiser-id:sign-key:encrypt-key"
        )
    )
    var apps: [AccountArgument] = []

    @Option(
        name: .customLong("team"),
        help: ArgumentHelp(
            "A team of DeviceCheck and the PEM file of its public key; can be repeated.",
            valueName: "team-id:key-id:file"
        )
    )
    var teams: [TeamArgument] = []

    @Option(help: "The port of DeviceCheck; 0 takes any free one.")
    var devicecheckPort = 0

    @Option(
        name: .customLong("store"),
        help: ArgumentHelp(
            "A JSON file with apps and purchases: {\"apps\":[{\"bundle_id\":…}],\"purchases\":[…]}.",
            valueName: "file"
        )
    )
    var store: String?

    @Option(help: "The port of the store; 0 takes any free one.")
    var storePort = 0

    @Option(help: ArgumentHelp("Write the store's root certificate there, in PEM.", valueName: "file"))
    var storeRoot: String?

    @Option(
        name: .customLong("marketing"),
        help: ArgumentHelp(
            "An account of the Marketing API with a data source and a token; can be repeated.",
            valueName: "account-id:action-set-id:token"
        )
    )
    var marketing: [MarketingArgument] = []

    @Option(
        name: .customLong("marketing-client"),
        help: ArgumentHelp(
            "An application that renews tokens; can be repeated.",
            valueName: "client-id:secret:refresh-token"
        )
    )
    var marketingClients: [MarketingClientArgument] = []

    @Option(help: "The port of the Marketing API; 0 takes any free one.")
    var marketingPort = 0

    @Flag(help: "Let click ids that start with sim- decide the fate of their report.")
    var scripted = false

    @Option(help: "The seed of everything that is left to chance.")
    var seed: UInt64 = 1

    @Flag(help: "Print the counters as one line of JSON at the end.")
    var stats = false

    @Option(help: "Keep so many entries of GET /control/calls?from=0, until they are read.")
    var journal = 0

    @OptionGroup var life: LifeOptions

    func run() async throws {
        try await self.complaining {
            var settings = GDTSimulator.Settings(keys: try self.fileKeys() + self.apps.map(\.keys))
            settings.host = self.host
            settings.port = self.port
            settings.seed = self.seed
            settings.scriptedByClickID = self.scripted
            settings.journalLimit = self.journal
            let simulator = try await Self.listening { () async throws(SimulatorError) in
                try await GDTSimulator.start(settings)
            }
            let apple = try await self.startDeviceCheck()
            let store = try await self.startStore()
            let marketing = try await self.startMarketing()
            let life = self.life
            try await StopWish.heard { wish in
                try life.announce("http://\(simulator.host):\(simulator.port)")
                if let apple { Console.line(apple.url) }
                if let store { Console.line(store.url) }
                if let marketing { Console.line(marketing.url) }
                life.waitForTheEnd(wish)
            }
            let stats = simulator.stats()
            await simulator.stop()
            await apple?.stop()
            await store?.stop()
            await marketing?.stop()
            if self.stats {
                Console.line(try Self.line(stats))
                if let apple { Console.line(try Self.line(apple.stats())) }
                if let store { Console.line(try Self.line(store.stats())) }
                if let marketing { Console.line(try Self.line(marketing.stats())) }
            }
        }
    }

    private func startDeviceCheck() async throws -> RunningDeviceCheck? {
        guard !self.teams.isEmpty else { return nil }
        var settings = DeviceCheckSimulator.Settings(teams: try self.teams.map { try $0.team })
        settings.host = self.host
        settings.port = self.devicecheckPort
        settings.seed = self.seed
        let settled = settings
        return try await Self.listening { () async throws(SimulatorError) in
            try await DeviceCheckSimulator.start(settled)
        }
    }

    private func startMarketing() async throws -> RunningMarketing? {
        guard !self.marketing.isEmpty else { return nil }
        var settings = MarketingSimulator.Settings(tokens: Set(self.marketing.map(\.token)))
        for (account, arguments) in Dictionary(grouping: self.marketing, by: \.accountID) {
            settings.accounts.append(
                MarketingSimulator.Account(
                    accountID: account,
                    actionSetIDs: Set(arguments.map(\.actionSetID))
                )
            )
        }
        settings.clients = self.marketingClients.map(\.client)
        settings.host = self.host
        settings.port = self.marketingPort
        settings.seed = self.seed
        let settled = settings
        return try await Self.listening { () async throws(SimulatorError) in
            try await MarketingSimulator.start(settled)
        }
    }

    /// The contents of the file for `--store`.
    private struct Stock: Decodable {
        var apps: [SimulatedApp]
        var purchases: [SimulatedPurchase]?
    }

    private func startStore() async throws -> RunningStore? {
        if let path = self.storeRoot {
            do {
                try Data(SimulatedChain.rootPEM.utf8).write(to: URL(filePath: path))
            } catch {
                throw Complaint("cannot write \(path)")
            }
        }
        guard let path = self.store else { return nil }
        let bytes: [UInt8]
        do throws(FileFailure) {
            bytes = try SmallFile.read(path)
        } catch {
            throw Complaint("cannot read \(path): \(error.reason)")
        }
        guard let stock = try? JSONDecoder().decode(Stock.self, from: Data(bytes)) else {
            throw Complaint("\(path) is not a JSON object with apps and purchases")
        }
        var settings = StoreSimulator.Settings(apps: stock.apps, purchases: stock.purchases ?? [])
        settings.host = self.host
        settings.port = self.storePort
        settings.seed = self.seed
        let settled = settings
        return try await Self.listening { () async throws(SimulatorError) in
            try await StoreSimulator.start(settled)
        }
    }

    /// Turns the error of a simulator that did not start into a message for the user.
    static func listening<Running>(
        _ start: () async throws(SimulatorError) -> Running
    ) async throws(Complaint) -> Running {
        do throws(SimulatorError) {
            return try await start()
        } catch {
            switch error {
            case .couldNotListen(let host, let port, let reason):
                throw Complaint("cannot listen on \(host):\(port): \(reason)")
            }
        }
    }

    private func fileKeys() throws -> [GDTKeys] {
        guard let path = self.keys else { return [] }
        let bytes: [UInt8]
        do throws(FileFailure) {
            bytes = try SmallFile.read(path)
        } catch {
            throw Complaint("cannot read \(path): \(error.reason)")
        }
        guard let keys = try? JSONDecoder().decode([GDTKeys].self, from: Data(bytes)) else {
            throw Complaint(
                "\(path) is not a JSON list of accounts with app_id, advertiser_id and their two keys"
            )
        }
        return keys
    }

    static func line(_ stats: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(stats), as: UTF8.self)
    }
}

/// An account in the form of a command-line argument.
struct AccountArgument: ExpressibleByArgument {
    let keys: GDTKeys

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false).map(
            String.init
        )
        guard parts.count == 4, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        self.keys = GDTKeys(appID: parts[0], advertiserID: parts[1], signKey: parts[2], encryptKey: parts[3])
    }
}

/// An account of the Marketing API in the form of a command-line argument.
struct MarketingArgument: ExpressibleByArgument {
    let accountID: UInt64
    let actionSetID: UInt64
    let token: String

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 2).map(String.init)
        guard parts.count == 3, let accountID = UInt64(parts[0]), let actionSetID = UInt64(parts[1]) else {
            return nil
        }
        (self.accountID, self.actionSetID, self.token) = (accountID, actionSetID, parts[2])
    }
}

/// An application of the Marketing API in the form of a command-line argument.
struct MarketingClientArgument: ExpressibleByArgument {
    let client: MarketingSimulator.Client

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 2).map(String.init)
        guard parts.count == 3 else { return nil }
        self.client = MarketingSimulator.Client(
            clientID: parts[0],
            clientSecret: parts[1],
            refreshToken: parts[2]
        )
    }
}

/// A DeviceCheck team in the form of a command-line argument.
struct TeamArgument: ExpressibleByArgument {
    let teamID: String
    let keyID: String
    let path: String

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(
            String.init
        )
        guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        (self.teamID, self.keyID, self.path) = (parts[0], parts[1], parts[2])
    }

    /// The team, with the public key from its file.
    var team: DeviceCheckTeam {
        get throws(Complaint) {
            let bytes: [UInt8]
            do throws(FileFailure) {
                bytes = try SmallFile.read(self.path)
            } catch {
                throw Complaint("cannot read \(self.path): \(error.reason)")
            }
            let pem = String(decoding: bytes, as: UTF8.self)
            guard ES256Verifier(publicKeyPEM: pem) != nil else {
                throw Complaint("\(self.path) is not the PEM file of a public key of P-256")
            }
            return DeviceCheckTeam(teamID: self.teamID, keyID: self.keyID, publicKeyPEM: pem)
        }
    }
}
