/// A row of `gdt_vectors.jsonl`; the first is the example of GDT's own document.
package struct GDTVector: VectorRow {
    package struct Inputs: Decodable, Sendable {
        package var app_type: String
        package var appid: UInt64
        package var click_id: String?
        package var client_ip: String?
        package var conv_time: Int64
        package var conv_type: String
        package var encrypt_key: String
        package var idfa: String?
        package var imei: String?
        package var muid: String?
        package var order: [String]?
        package var sign_key: String
        package var uid: UInt64
        package var value: Int64?
    }

    package struct Outputs: Decodable, Sendable {
        package var base_data: String
        package var encoded_page: String
        package var final_url: String
        package var muid: String
        package var page: String
        package var property: String
        package var query_string: String
        package var signature: String
        package var v_base64: String
        package var v_encoded: String
    }

    package var name: String
    package var inputs: Inputs
    package var outputs: Outputs?

    package static let all = VectorFile.rows("gdt_vectors", as: GDTVector.self)
}
