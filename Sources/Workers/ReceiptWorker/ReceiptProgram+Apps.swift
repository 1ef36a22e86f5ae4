import Cryptography
import Operations
import WireFormats

// This file reads the apps from the settings, each with its route and the values that the route needs.
extension ReceiptProgram {
    static func apps(_ reader: SettingsReader, _ anchors: LocalVerifier.Anchors) -> [ReceiptSettings.App] {
        let apps = reader.each(
            "apps",
            atLeast: 1,
            help: "The apps whose purchases are verified, with their secrets."
        ) { Self.app($0, anchors) }.compactMap(\.self)
        var seen: Set<String> = []
        for app in apps where !seen.insert(app.bundleID).inserted {
            reader.reportFault("apps", "\(app.bundleID) is listed twice")
        }
        return apps
    }

    private static func app(_ reader: SettingsReader, _ anchors: LocalVerifier.Anchors)
        -> ReceiptSettings.App?
    {
        let bundleID = reader.string(
            "bundle_id",
            help: "The app's bundle id.",
            must: "be 1 to 155 letters, digits, dots and hyphens",
            matching: self.isBundleID
        )
        let route = reader.requiredOneOf(
            "route",
            as: ReceiptSettings.Route.self,
            help: "The route to a verdict: verifyReceipt, the App Store Server API, or a signature alone."
        )
        let sharedSecret = reader.optionalSecret(
            "shared_secret",
            help:
                "The shared secret for verifyReceipt. Subscriptions need it. A file is read again when it changes."
        )
        let excludesOld = reader.bool(
            "exclude_old_transactions",
            default: false,
            help: "With verifyReceipt: only the newest renewal of each subscription."
        )
        let keyText = reader.optionalSecret(
            "key",
            help: "The key as Apple gives it, the text of a .p8 file. A file is read again when it changes."
        )
        let keyIDText = reader.optionalSecret(
            "key_id",
            help: "The id of the key for in-app purchases. A file is read again when it changes."
        )
        let key = self.key(reader, keyText, id: keyIDText)
        let app = ReceiptSettings.App(
            bundleID: bundleID,
            route: route ?? .local,
            policy: self.policy(reader),
            sharedSecret: sharedSecret,
            excludesOldTransactions: excludesOld,
            key: key,
            asksForSubscriptions: reader.bool(
                "subscriptions",
                default: true,
                help: "With the App Store Server API: ask for the present state of a subscription too."
            ),
            historyPages: reader.int(
                "history_pages",
                default: 0,
                in: 0...1_000,
                help:
                    "With the App Store Server API: pages of 20 purchases of the history that are always read, the newest. "
                    + "Up to 10 are read where nothing else decides."
            ),
            callsPerSecond: reader.int(
                "calls_per_second",
                default: 50,
                in: 1...100_000,
                help:
                    "Calls of the whole fleet to the App Store Server API's production: Apple's limit for the app. "
                    + "The sandbox gets a tenth of them."
            ),
            files: self.files(reader, sharedSecret: sharedSecret, key: keyText, keyID: keyIDText)
        )
        guard let route else { return nil }
        self.check(app, route, given: anchors, reportingTo: reader)
        return app
    }

    /// Reports the values that are missing for a route.
    private static func check(
        _ app: ReceiptSettings.App,
        _ route: ReceiptSettings.Route,
        given anchors: LocalVerifier.Anchors,
        reportingTo reader: SettingsReader
    ) {
        switch route {
        case .verifyReceipt: break
        case .serverAPI:
            if app.key == nil {
                reader.reportFault("route", "needs issuer_id, key_id and key")
            }
            if anchors.signedData == nil {
                reader.reportFault("route", "needs apple.signed_data_roots: Apple's answers are signed")
            }
        case .local:
            if anchors.appReceipts == nil, anchors.signedData == nil, anchors.transactionReceipts == nil {
                reader.reportFault("route", "needs apple.app_receipt_roots or apple.signed_data_roots")
            }
        }
    }

    private static func policy(_ reader: SettingsReader) -> StorePolicy {
        let products = reader.strings(
            "products",
            default: [],
            help: "The app's products: purchases of any other are invalid. All products, if none is named."
        )
        return StorePolicy(
            outsideProduction: reader.oneOf(
                "outside_production",
                default: StorePolicy.OutsideProduction.flag,
                help:
                    "The treatment of purchases in the sandbox, where App Review and TestFlight buy: accept, flag "
                    + "them in the result, or reject."
            ),
            products: products.isEmpty ? nil : Set(products)
        )
    }

    private static func key(_ reader: SettingsReader, _ text: Secret?, id keyIDText: Secret?)
        -> ReceiptSettings.Key?
    {
        let issuerID = reader.optionalString("issuer_id", help: "The issuer id of App Store Connect, a UUID.")
        guard let issuerID, let keyID = keyIDText?.reveal(), let text, !issuerID.isEmpty else { return nil }
        guard AppleID.isTenCharacters(keyID) else {
            reader.reportFault(ofSecret: "key_id", "must be 10 letters and digits")
            return nil
        }
        do throws(ES256Signer.Fault) {
            return ReceiptSettings.Key(
                issuerID: issuerID,
                keyID: keyID,
                signer: try ES256Signer(pem: Self.lines(of: text))
            )
        } catch {
            reader.reportFault(ofSecret: "key", "is no key for the App Store Server API: \(error)")
            return nil
        }
    }

    private static func files(
        _ reader: SettingsReader,
        sharedSecret: Secret?,
        key: Secret?,
        keyID: Secret?
    ) -> [ReceiptSettings.WatchedFile] {
        let secrets: [(ReceiptSettings.WatchedFile.Content, String, Secret?)] = [
            (.sharedSecret, "shared_secret", sharedSecret), (.key, "key", key), (.keyID, "key_id", keyID),
        ]
        return secrets.compactMap { content, name, text in
            guard let path = reader.path(ofSecret: name), let text else { return nil }
            return ReceiptSettings.WatchedFile(content, path: path, text: text)
        }
    }

    private static func isBundleID(_ text: String) -> Bool {
        (1...155).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy {
                switch $0 {
                case "a"..."z", "A"..."Z", "0"..."9", ".", "-": true
                default: false
                }
            }
    }

    /// Returns the lines of a key. In an environment variable, line ends are often written as `\n`.
    private static func lines(of key: Secret) -> [UInt8] {
        let text = key.reveal()
        return Array((text.contains("\n") ? text : text.replacing(#"\n"#, with: "\n")).utf8)
    }
}
