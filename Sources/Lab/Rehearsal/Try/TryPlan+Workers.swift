import Fleet
package import ServiceKit

extension TryPlan {
    /// The plan of a worker; nil for one that has none.
    package init?(_ worker: WorkerIdentity) {
        switch worker.name {
        case Roster.activation.name: self = .activation
        case Roster.deviceCheck.name: self = .deviceCheck
        case Roster.receipt.name: self = .receipt
        case Roster.pushArrival.name: self = .pushArrival
        default: return nil
        }
    }

    private static let secret = "openssl rand -hex 16 >"
    private static let now = "$(date -u +%FT%TZ)"

    /// Makes a private key of P-256, and the file of its public key.
    private static let keyPair = [
        "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.p8",
        "openssl pkey -in key.p8 -pubout -out key.pem",
    ]

    private static let activation = TryPlan(
        worker: Roster.activation,
        upstream: Upstream(
            name: "GDT",
            files: [
                "\(Self.secret) sign-key", "\(Self.secret) encrypt-key",
                Self.file(
                    "accounts.json",
                    [
                        #"[{"app_id":"112233","advertiser_id":"10000","sign_key":"$(cat sign-key)","#,
                        #"  "encrypt_key":"$(cat encrypt-key)"}]"#,
                    ]
                ),
            ],
            arguments: "--keys accounts.json",
            line: 1
        ),
        settings: [
            "gdt:", "  url: $UPSTREAM", "  apps:", "    - app_id: 112233", "      advertiser_id: 10000",
            "      sign_key_file: sign-key", "      encrypt_key_file: encrypt-key",
        ],
        records: [
            #"{"appId":"112233","advertiserId":"10000","appType":"IOS","conversionType":"MOBILEAPP_ACTIVITE","#
                + #""deviceId":"1E2DFA89-496A-47FD-9941-DF1FC4E6484A","convertedAt":"\#(Self.now)"}"#
        ]
    )

    private static let deviceCheck = TryPlan(
        worker: Roster.deviceCheck,
        upstream: Upstream(
            name: "DeviceCheck",
            files: Self.keyPair,
            arguments: "--team TEAM123456:KEY1234567:key.pem",
            line: 2
        ),
        settings: [
            "devicecheck:", "  production_url: $UPSTREAM", "  development_url: $UPSTREAM/development",
            "  teams:", "    - {team_id: TEAM123456, key_id: KEY1234567, key_file: key.p8}",
        ],
        records: [
            #"{"op":"update","teamId":"TEAM123456","environment":"production","bit0":true,"bit1":false,"#
                + #""deviceToken":"$(printf device=example | base64)","receivedAt":"\#(Self.now)"}"#
        ]
    )

    private static let receipt = TryPlan(
        worker: Roster.receipt,
        upstream: Upstream(
            name: "the App Store",
            files: Self.keyPair + [
                Self.file(
                    "store.json",
                    [
                        #"{"apps":[{"bundle_id":"com.example.app","key_id":"KEY1234567","#,
                        #"  "issuer_id":"57246542-96fe-1a63-e053-0824d011072a","#,
                        #"  "public_key_pem":"$(awk -v ORS='\\n' 1 key.pem)"}],"#,
                        #" "purchases":[{"bundle_id":"com.example.app","product_id":"com.example.app.pro","#,
                        #"  "transaction_id":"2000000123456789","original_transaction_id":"2000000123456789","#,
                        #"  "type":"Non-Consumable","purchased_at":$(date +%s)000,"is_sandbox":false}]}"#,
                    ]
                )
            ],
            arguments: "--store store.json --store-root store-root.pem",
            line: 2
        ),
        settings: [
            "apple: {signed_data_roots: store-root.pem}", "receipt:",
            "  app_store_production_url: $UPSTREAM", "  app_store_sandbox_url: $UPSTREAM/sandbox",
            "  verifyreceipt_production_url: $UPSTREAM", "  verifyreceipt_sandbox_url: $UPSTREAM/sandbox",
            "  apps:", "    - bundle_id: com.example.app", "      route: app_store_server_api",
            "      issuer_id: 57246542-96fe-1a63-e053-0824d011072a", "      key_id: KEY1234567",
            "      key_file: key.p8",
        ],
        records: [#"{"bundleId":"com.example.app","transactionId":"2000000123456789"}"#]
    )

    /// `fleet publish` partitions by librdkafka's default, which is CRC32 for a record with a key. The worker is told so:
    /// otherwise it would send each event on to the partition that it takes for the home of the device.
    private static let pushArrival = TryPlan(
        worker: Roster.pushArrival,
        upstream: nil,
        kafka: ", partitioner: crc32",
        settings: [
            "push: {apps: [com.example.app]}", "statistics: {interval: 500ms}", "dashboard: {port: 0}",
        ],
        guarded: "state",
        records: [
            #"{"type":"sent","status":"accepted",\#(Self.push),"serverMs":"$(date +%s)000"}"#,
            #"{"type":"arrived",\#(Self.push),"sentMs":"$(date +%s)000","deviceMs":"$(date +%s)900","#
                + #""uploadMs":"$(date +%s)950","serverMs":"$(date +%s)950"}"#,
        ],
        publishing: " --key-field deviceId",
        further: ("\(Roster.pushArrival.topic).stats", "the statistics of the message so far")
    )

    private static let push =
        #""provider":"apns","messageId":"evening-offer-17","campaignId":"evening-offer","#
        + #""deviceId":"inst-0001","appBundle":"com.example.app""#
}
