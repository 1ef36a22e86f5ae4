import Foundation
import Testing

@testable import WireFormats

/// A row of `Vectors/gdt_vectors.jsonl`; the first is the example of GDT's own document.
struct GDTVector: Decodable, Sendable, CustomTestStringConvertible {
    struct Inputs: Decodable, Sendable {
        var app_type: String
        var appid: UInt64
        var click_id: String?
        var client_ip: String?
        var conv_time: Int64
        var conv_type: String
        var encrypt_key: String
        var idfa: String?
        var imei: String?
        var muid: String?
        var order: [String]?
        var sign_key: String
        var uid: UInt64
        var value: Int64?
    }

    struct Outputs: Decodable, Sendable {
        var base_data: String
        var encoded_page: String
        var final_url: String
        var muid: String
        var page: String
        var property: String
        var query_string: String
        var signature: String
        var v_base64: String
        var v_encoded: String
    }

    var name: String
    var inputs: Inputs
    var outputs: Outputs?

    var testDescription: String { self.name }

    static let all: [GDTVector] = {
        guard
            let url = Bundle.module.url(
                forResource: "gdt_vectors",
                withExtension: "jsonl",
                subdirectory: "Vectors"
            ),
            let text = try? String(contentsOf: url, encoding: .utf8)
        else { return [] }
        return text.split(separator: "\n").compactMap {
            try? JSONDecoder().decode(GDTVector.self, from: Data($0.utf8))
        }
    }()
}
