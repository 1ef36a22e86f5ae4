import Operations
import ServiceKit

/// The address of a worker's health and metrics pages, as `http://host:port`.
struct WorkerAddress: Hashable, Sendable, CustomStringConvertible {
    let description: String

    /// Reads an address of a user: `host:port` or a URL, with or without the path of a page.
    ///
    /// - Returns: nil for what is no address, or has another scheme.
    init?(_ text: String) {
        var rest = text[...]
        if rest.hasPrefix("http://") { rest = rest.dropFirst(7) }
        for page in ["/metrics", "/readyz", "/livez", "/"] where rest.hasSuffix(page) {
            rest = rest.dropLast(page.count)
            break
        }
        let isPlain = rest.utf8.allSatisfy { byte in
            let letter = byte | 0x20
            return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-.:[]_".utf8.contains(byte)
        }
        guard isPlain, let colon = rest.lastIndex(of: ":"), colon > rest.startIndex,
            let port = Int(rest[rest.index(after: colon)...]), (1...65_535).contains(port)
        else { return nil }
        self.description = "http://\(rest)"
    }

    /// Takes the address from a worker's settings: the section `health`. A worker that listens on all addresses
    /// is asked on this machine.
    ///
    /// - Throws: `SettingsFaults` if the file cannot be read, or a `Complaint` of this command.
    init(config path: String) throws {
        let reader = SettingsReader(file: try SettingsFile(path: path))
        let settings = OperationSettings(reader)
        do throws(SettingsFaults) {
            try reader.finish()
        } catch {
            // The other sections are the worker's own business.
            let own = error.faults.filter { $0.severity == .fault && $0.key?.hasPrefix("health.") == true }
            if !own.isEmpty { throw SettingsFaults(own) }
        }
        guard settings.healthPort > 0 else { throw NoPort(path: path) }
        let host =
            switch settings.healthHost {
            case "0.0.0.0": "127.0.0.1"
            case "::": "[::1]"
            case let host: host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
            }
        self.description = "http://\(host):\(settings.healthPort)"
    }

    /// Settings from which the port does not follow.
    struct NoPort: Error, CustomStringConvertible {
        var path: String

        var description: String {
            "\(self.path): health.port is 0, so the worker has taken any free port; "
                + "name it with --url (it is in the log line \"health and metrics\")."
        }
    }
}
