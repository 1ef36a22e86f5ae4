import GRDB
internal import GRDBSQLite

/// Inserts rows of sixteen numbers. A million of them are spared the boxes that arguments of any type travel in, which
/// cost more than all the rest of an insertion.
struct NumberInsertion {
    private let statement: Statement

    init(_ statement: Statement) { self.statement = statement }

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
