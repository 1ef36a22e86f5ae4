import Harness
import Terminal

/// The apps of the demo of uploads, with their keys and tokens, which are made for the run.
struct UploadAccounts {
    /// The iOS app, which is reported by scheme 2, and the Android app and shop on the Marketing API.
    static let (iosApp, iosAccount): (UInt64, UInt64) = (112_233, 10_000)
    static let (shopApp, shopAccount): (UInt64, UInt64) = (445_566, 20_000)
    static let actionSet = 1_100_000_001
    /// The account in the target of uploads, and the data sources of both apps.
    static let project = "demo"
    static let iosSource = "ios-app"
    static let androidSource = "android-app"
    private static let client = "1111"
    private static let oauthName = "tencent.json"

    private let folder: TemporaryFolder
    private let signKey: String
    private let encryptKey: String
    private let secret: String
    private let refreshToken: String

    /// Makes the keys, and writes the OAuth file with a token that has expired.
    init(in folder: TemporaryFolder) throws(Complaint) {
        func made() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }
        self.folder = folder
        (self.signKey, self.encryptKey) = (made(), made())
        (self.secret, self.refreshToken) = (made(), made())
        let pair = """
            {"client_id":"\(Self.client)","client_secret":"\(self.secret)",\
            "refresh_token":"\(self.refreshToken)","access_token":"of-yesterday",\
            "access_token_expires_at":1700000000}

            """
        try folder.write(pair, to: Self.oauthName)
    }

    /// The arguments of the simulators of GDT and of the Marketing API.
    var upstreamWords: [String] {
        [
            "--app", "\(Self.iosApp):\(Self.iosAccount):\(self.signKey):\(self.encryptKey)",
            "--marketing", "\(Self.shopAccount):\(Self.actionSet):of-nobody",
            "--marketing-client", "\(Self.client):\(self.secret):\(self.refreshToken)",
        ]
    }

    /// The apps whose uploads the intake takes.
    var sources: String {
        func source(_ name: String, app: UInt64, account: UInt64, type: String) -> String {
            """
                - account: \(Self.project)
                  data_source: \(name)
                  app_id: \(app)
                  advertiser_id: \(account)
                  app_type: \(type)
            """
        }
        return source(Self.iosSource, app: Self.iosApp, account: Self.iosAccount, type: "IOS") + "\n"
            + source(Self.androidSource, app: Self.shopApp, account: Self.shopAccount, type: "ANDROID")
    }

    /// The settings of the worker behind the intake that say how each app is reported. Requests of the
    /// Marketing API go one by one, so that conversions have to share them.
    func routes(gdt: String, marketing: String) -> String {
        """
        gdt:
          url: \(gdt)
          apps:
            - app_id: \(Self.iosApp)
              advertiser_id: \(Self.iosAccount)
              sign_key: \(self.signKey)
              encrypt_key: \(self.encryptKey)
            - app_id: \(Self.shopApp)
              advertiser_id: \(Self.shopAccount)
              route: marketing_api
              user_action_set_id: \(Self.actionSet)
              oauth_file: \(Self.oauthName)
              callbacks: true
        marketing_api:
          url: \(marketing)/v3.0
          token_url: \(marketing)/oauth/token
          requests: 1
          callback_hosts: [127.0.0.1]
          callback_lab: true

        """
    }
}
