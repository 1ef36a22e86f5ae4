/// The two names of a field: in a schema (snake case), and in JSON (camel case).
package enum ProtobufName {
    /// Returns a field's name in the schema, made from its name in JSON.
    package static func snakeCase(_ name: String) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
    }
}
