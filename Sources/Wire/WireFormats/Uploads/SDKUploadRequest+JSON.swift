extension SDKUploadRequest {
    /// Reads a request that is written as one JSON object, to try it by hand: `method`, `target`, `headers` (an
    /// object), `body_base64`, and perhaps `client_ip`. The object may also be the member `request` of another.
    ///
    /// - Returns: nil if the text is no such object.
    package init?(json text: [UInt8]) {
        guard let outline = JSONOutline(text) else { return nil }
        let object = outline.member(outline.root, "request") ?? outline.root
        func string(_ name: String) -> String? { outline.member(object, name).flatMap(outline.string) }
        guard let target = string("target"),
            let body = string("body_base64").flatMap({ Base64.decode(Array($0.utf8)) })
        else { return nil }
        var headers: [(name: String, value: String)] = []
        if let list = outline.member(object, "headers") {
            outline.members(of: list) { name, value in
                guard let name = outline.string(name), let value = outline.string(value) else { return }
                headers.append((name, value))
            }
        }
        self.init(
            method: string("method") ?? "POST",
            target: target,
            headers: headers,
            clientIP: string("client_ip"),
            body: body
        )
    }
}
