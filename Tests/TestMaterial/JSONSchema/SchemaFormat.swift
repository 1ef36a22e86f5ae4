import Foundation

/// The keyword `format`, checked and not only noted, by means of its own: what the worker reads with is under test.
enum SchemaFormat: String {
    case dateTime = "date-time"
    case ipv4
    case ipv6

    init(_ name: String) throws(JSONSchema.Fault) {
        guard let format = SchemaFormat(rawValue: name) else {
            throw JSONSchema.Fault(place: name, problem: "is a format that is not known here")
        }
        self = format
    }

    func matches(_ text: String) -> Bool {
        switch self {
        case .dateTime: Self.isDateTime(text)
        case .ipv4: Self.isAddress(text, AF_INET)
        case .ipv6: Self.isAddress(text, AF_INET6)
        }
    }

    private static func isDateTime(_ text: String) -> Bool {
        let form =
            #"^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$"#
        guard (try? SchemaPattern(form))?.matches(text) == true else { return false }
        let withoutDecimals = text.uppercased().replacing(#/\.[0-9]+/#, with: "")
        return (try? Date(withoutDecimals, strategy: .iso8601)) != nil
    }

    private static func isAddress(_ text: String, _ family: Int32) -> Bool {
        var address = [UInt8](repeating: 0, count: 16)
        return unsafe inet_pton(family, text, &address) == 1
    }
}
