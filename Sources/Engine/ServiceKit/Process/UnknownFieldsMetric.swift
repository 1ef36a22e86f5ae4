/// The counter of records with members that their schema does not have. Workers of both engines count under this
/// name.
package enum UnknownFieldsMetric {
    package static let name = "worker_records_with_unknown_fields_total"
    package static let help = "Records in JSON with fields that their schema does not have."
}
