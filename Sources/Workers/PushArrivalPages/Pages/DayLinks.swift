import WebPages

/// The links of a page about one day: to the day before, to the day after, and to the same numbers as JSON.
struct DayLinks: Sendable {
    let previous: String
    let next: String
    let json: String

    /// - Parameters:
    ///   - path: the path of the page.
    ///   - api: the path of the read API.
    ///   - day: the first instant of the day, in milliseconds since 1970.
    ///   - query: the query of the page, of which the fields with these names stay.
    init(_ path: String, api: String, day: Int64, names: [String], of query: FormFields) {
        let fields = query.only(Set(names)).without("day").shortened(to: MessageFilter.longest)
        func address(_ path: String, _ day: Int64) -> String {
            var fields = fields
            fields.add("day", TimesQuery.text(day))
            return ListModel.address(path, fields)
        }
        self.previous = address(path, day - HourlyArrivals.millisecondsOfDay)
        self.next = address(path, day + HourlyArrivals.millisecondsOfDay)
        self.json = address(api, day)
    }
}

extension FormFields {
    /// Returns the fields with values of limited length, in characters.
    fileprivate func shortened(to length: Int) -> FormFields {
        var fields = FormFields()
        for pair in self.pairs { fields.add(pair.name, String(pair.value.prefix(length))) }
        return fields
    }
}
