import GRDB
internal import GRDBSQLite

/// Inserts rows of sixteen numbers.
///
/// GRDB's own arguments may have any type, and each is allocated separately. For a million rows these
/// allocations cost more than everything else in the insertion, so the numbers are bound here directly.
struct NumberInsertion {
    private let statement: Statement

    /// Creates an insertion from a statement with sixteen parameters.
    init(_ statement: Statement) { self.statement = statement }

    /// Inserts one row; nil becomes NULL.
    ///
    /// - Throws: `DatabaseError` if SQLite does not accept a number or the row.
    func callAsFunction(_ numbers: InlineArray<16, Int64?>) throws {
        let handle = unsafe self.statement.sqliteStatement
        for index in numbers.indices {
            let place = Int32(truncatingIfNeeded: index + 1)
            let code =
                if let number = numbers[index] {
                    unsafe sqlite3_bind_int64(handle, place, number)
                } else {
                    unsafe sqlite3_bind_null(handle, place)
                }
            guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        }
        let code = unsafe sqlite3_step(handle)
        _ = unsafe sqlite3_reset(handle)
        guard code == SQLITE_DONE else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }
}
