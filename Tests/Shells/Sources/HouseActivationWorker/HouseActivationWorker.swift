import FlotillaRecords
import FlotillaWorkerKit

/// The company's activation worker: the one of Flotilla, with three parts of its own.
@main
struct HouseActivationWorker: ActivationShell {
    let ciphers: [any UploadCipher]
    let interceptors: [any Interceptor]
    let channels: [any Channel]

    init(_ settings: Settings) {
        let key = settings.secret("upload_key", help: "The key of the SDK's encryption, codec 7.")
        let app = settings.int(
            "closed_app",
            default: 0,
            in: 0...Int.max,
            help: "An app that is not reported."
        )
        let topic = settings.string("channel", default: "activation.warehouse", help: "The second channel.")
        self.ciphers = [HouseCipher(key: key)]
        self.interceptors = [Gatekeeper(closedApp: UInt64(app))]
        self.channels = [WarehouseChannel(topic: topic)]
    }
}
