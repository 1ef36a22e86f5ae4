import Foundation

/// A JSON Schema of draft 2020-12, with the keywords that ours use. Any other is an error and not ignored: a keyword
/// that nobody checks is a promise that nobody keeps.
package struct JSONSchema {
    /// The schema itself is wrong, or uses what is not known here.
    package struct Fault: Error, Hashable {
        var place: String
        var problem: String
    }

    private static let annotations: Set<String> = [
        "$schema", "$id", "$defs", "title", "description", "examples",
    ]
    private static let keywords: Set<String> = [
        "$ref", "type", "enum", "const", "required", "properties", "pattern", "minLength", "maxLength",
        "minimum", "minItems",
        "maximum", "format", "not", "oneOf", "anyOf", "if", "then", "else",
    ]
    private static let schemaGroups: Set<String> = ["properties", "$defs"]
    private static let schemaLists: Set<String> = ["oneOf", "anyOf"]
    private static let schemas: Set<String> = ["items", "additionalProperties", "not", "if", "then", "else"]

    /// The document that the schema stands in.
    private let root: SchemaValue
    private let schema: SchemaValue
    private let isClosed: Bool

    /// Reads a schema.
    ///
    /// - Parameters:
    ///   - text: The schema, or a document that has it within.
    ///   - pointer: The place of the schema in the document, as a JSON pointer behind `#`.
    ///   - isClosed: Whether the schema objects to members that it does not describe.
    package init(_ text: [UInt8], at pointer: String = "#", isClosed: Bool = false) throws {
        self.root = try SchemaValue(text)
        self.schema = try Self.value(at: pointer, in: self.root)
        self.isClosed = isClosed
        try Self.check(self.schema, at: pointer)
    }

    /// The objections of the schema to a document, one line for each thing; empty if it is valid.
    package func objections(to document: [UInt8]) throws -> [String] {
        try self.objections(to: try SchemaValue(document), self.schema, at: "#")
    }

    // MARK: The schema

    private static func check(_ schema: SchemaValue, at place: String) throws(Fault) {
        guard case .object(let members) = schema else { throw Fault(place: place, problem: "is no object") }
        for (keyword, value) in members {
            let place = "\(place)/\(keyword)"
            if self.schemaGroups.contains(keyword) {
                for (name, schema) in value.members { try self.check(schema, at: "\(place)/\(name)") }
            } else if self.schemaLists.contains(keyword) {
                for (index, schema) in value.elements.enumerated() {
                    try self.check(schema, at: "\(place)/\(index)")
                }
            } else if self.schemas.contains(keyword) {
                try self.check(value, at: place)
            } else if !self.annotations.contains(keyword), !self.keywords.contains(keyword) {
                throw Fault(place: place, problem: "is a keyword that is not known here")
            }
        }
    }

    /// Returns what a JSON pointer behind `#` leads to.
    private static func value(at pointer: String, in root: SchemaValue) throws(Fault) -> SchemaValue {
        var value: SchemaValue? = pointer.hasPrefix("#") ? root : nil
        for step in pointer.split(separator: "/").dropFirst() {
            value = value?.members[String(step).replacing("~1", with: "/").replacing("~0", with: "~")]
        }
        guard let value else { throw Fault(place: pointer, problem: "refers to nothing") }
        return value
    }

    /// Returns the schema that a reference names. One outside of this schema is checked here.
    private func definition(_ reference: String) throws(Fault) -> SchemaValue {
        let found = try Self.value(at: reference, in: self.root)
        try Self.check(found, at: reference)
        return found
    }

    // MARK: The document

    private func objections(to value: SchemaValue, _ schema: SchemaValue, at place: String) throws(Fault)
        -> [String]
    {
        var objections: [String] = []
        for (keyword, argument) in schema.members.sorted(by: { $0.key < $1.key }) {
            switch keyword {
            case "$ref":
                let definition = try self.definition(argument.text ?? "")
                objections += try self.objections(to: value, definition, at: place)
            case "properties":
                for (name, schema) in argument.members {
                    guard let member = value.members[name] else { continue }
                    objections += try self.objections(to: member, schema, at: "\(place)/\(name)")
                }
                guard self.isClosed else { continue }
                for name in value.members.keys.sorted() where argument.members[name] == nil {
                    objections.append("\(place)/\(name): is not described")
                }
            case "items":
                for (index, element) in value.elements.enumerated() {
                    objections += try self.objections(to: element, argument, at: "\(place)/\(index)")
                }
            case "additionalProperties":
                let described = schema.members["properties"]?.members ?? [:]
                for (name, member) in value.members where described[name] == nil {
                    objections += try self.objections(to: member, argument, at: "\(place)/\(name)")
                }
            case "not", "oneOf", "anyOf", "if":
                if try !self.holds(keyword, argument, value, schema) {
                    objections.append("\(place): \(keyword)")
                }
            // Spoken for by `if`, and only where it is there.
            case "then", "else": continue
            case _ where Self.annotations.contains(keyword): continue
            default:
                if try !self.holds(keyword, argument, value) { objections.append("\(place): \(keyword)") }
            }
        }
        return objections
    }

    /// The keywords that ask other schemas.
    private func holds(
        _ keyword: String,
        _ argument: SchemaValue,
        _ value: SchemaValue,
        _ schema: SchemaValue
    )
        throws(Fault) -> Bool
    {
        switch keyword {
        case "not": return try !self.fits(value, argument)
        case "if":
            let next = schema.members[try self.fits(value, argument) ? "then" : "else"]
            guard let next else { return true }
            return try self.fits(value, next)
        default:
            var fitting = 0
            for schema in argument.elements where try self.fits(value, schema) { fitting += 1 }
            return keyword == "oneOf" ? fitting == 1 : fitting > 0
        }
    }

    private func fits(_ value: SchemaValue, _ schema: SchemaValue) throws(Fault) -> Bool {
        try self.objections(to: value, schema, at: "").isEmpty
    }

    /// The keywords that look at the value alone. A keyword for another type than the value's holds.
    private func holds(_ keyword: String, _ argument: SchemaValue, _ value: SchemaValue) throws(Fault) -> Bool
    {
        switch (keyword, argument, value) {
        case ("type", .string(let type), _):
            value.isOf(type)
        case ("type", .array(let types), _): types.contains { $0.text.map { value.isOf($0) } ?? false }
        case ("enum", .array(let values), _): values.contains(value)
        case ("const", _, _): value == argument
        case ("required", .array(let names), .object(let members)):
            names.allSatisfy { $0.text.map { members[$0] != nil } ?? false }
        case ("pattern", .string(let pattern), .string(let text)): try SchemaPattern(pattern).matches(text)
        case ("format", .string(let format), .string(let text)): try SchemaFormat(format).matches(text)
        case ("minLength", .number(let limit), .string(let text)): Decimal(text.unicodeScalars.count) >= limit
        case ("maxLength", .number(let limit), .string(let text)): Decimal(text.unicodeScalars.count) <= limit
        case ("minItems", .number(let limit), .array(let elements)): Decimal(elements.count) >= limit
        case ("minimum", .number(let limit), .number(let number)): number >= limit
        case ("maximum", .number(let limit), .number(let number)): number <= limit
        case ("required", .array, _), ("pattern", .string, _), ("format", .string, _),
            ("minLength", .number, _),
            ("maxLength", .number, _), ("minimum", .number, _), ("maximum", .number, _),
            ("minItems", .number, _):
            true
        default: throw Fault(place: keyword, problem: "has an argument that makes no sense")
        }
    }
}
