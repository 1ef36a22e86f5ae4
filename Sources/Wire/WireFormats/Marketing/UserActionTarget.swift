/// The part of the Marketing API that takes the actions of one app: an account and its data source.
package struct UserActionTarget: Hashable, Sendable {
    /// Tencent's own address, with the version of the interface.
    package static let standardURL = "https://api.e.qq.com/v3.0"
    /// The path of the interface below the address.
    static let path = "/user_actions/add"

    /// The address with the version, such as `https://api.e.qq.com/v3.0`.
    package var baseURL: BaseURL
    /// The account at e.qq.com (`account_id`).
    package var accountID: UInt64
    /// The data source of the app (`user_action_set_id`).
    package var actionSetID: UInt64

    package init(baseURL: BaseURL, accountID: UInt64, actionSetID: UInt64) {
        self.baseURL = baseURL
        self.accountID = accountID
        self.actionSetID = actionSetID
    }

    /// Returns the URL of one request. It holds the token, so it must not be shown or logged.
    ///
    /// - Parameters:
    ///   - now: the time of the request in seconds since 1970. Tencent accepts 300 s of difference.
    ///   - nonce: 1 to 32 characters that no other request ever had.
    package func url(token: [UInt8], at now: Int64, nonce: String) -> String {
        var url = Array(self.baseURL.text.utf8)
        url += "\(Self.path)?access_token=".utf8
        url += PercentEncoding.encode(token)
        url += "&timestamp=\(now)&nonce=\(nonce)".utf8
        return String(decoding: url, as: UTF8.self)
    }

    /// Returns the body of a request with these actions, which `UserAction.json` has written.
    package func body(of actions: [[UInt8]]) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(96 + actions.reduce(0) { $0 + $1.count + 1 })
        body += "{\"account_id\":\(self.accountID),\"user_action_set_id\":\(self.actionSetID),".utf8
        UserAction.append(actions, to: &body)
        return body
    }
}
