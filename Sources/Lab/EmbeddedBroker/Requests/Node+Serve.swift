extension Node {
    /// Calls the handler of the request.
    ///
    /// - Throws: `Malformed` if the request violates the protocol. The connection must then be closed.
    func serve(_ call: Call) throws(Malformed) {
        switch call.header.api {
        case .apiVersions: return self.apiVersions(call)
        case .saslHandshake: return try self.saslHandshake(call)
        case .saslAuthenticate: return try self.saslAuthenticate(call)
        default: break
        }
        // As in Kafka, a client that asks before it has authenticated itself is cut off without an answer.
        guard call.client.identity.isKnown else { return call.cutConnection() }
        switch call.header.api {
        case .apiVersions, .saslHandshake, .saslAuthenticate: break
        case .metadata: try self.metadata(call)
        case .produce: try self.produce(call)
        case .fetch: try self.fetch(call)
        case .listOffsets: try self.listOffsets(call)
        case .deleteRecords: try self.deleteRecords(call)
        case .findCoordinator: try self.findCoordinator(call)
        case .joinGroup: try self.joinGroup(call)
        case .syncGroup: try self.syncGroup(call)
        case .heartbeat: try self.heartbeat(call)
        case .leaveGroup: try self.leaveGroup(call)
        case .offsetCommit: try self.offsetCommit(call)
        case .offsetFetch: try self.offsetFetch(call)
        case .listGroups: self.listGroups(call)
        case .describeGroups: try self.describeGroups(call)
        case .deleteGroups: try self.deleteGroups(call)
        case .initProducerID: try self.initProducerID(call)
        case .addPartitionsToTransaction: try self.addPartitionsToTransaction(call)
        case .addOffsetsToTransaction: try self.addOffsetsToTransaction(call)
        case .transactionalOffsetCommit: try self.transactionalOffsetCommit(call)
        case .endTransaction: try self.endTransaction(call)
        case .createTopics: try self.createTopics(call)
        case .deleteTopics: try self.deleteTopics(call)
        case .createPartitions: try self.createPartitions(call)
        case .describeConfigs: try self.describeConfigs(call)
        case .alterConfigs: try self.alterConfigs(call)
        }
    }

    /// Handles an ApiVersions request. A version that the broker does not support is answered in version 0.
    private func apiVersions(_ call: Call) {
        let isSupported = call.header.isSupported
        call.answer { writer in
            writer.error(isSupported ? nil : .unsupportedVersion)
            writer.array(API.allCases) { writer, api in
                writer.integer(api.rawValue)
                writer.integer(api.advertised.lowerBound)
                writer.integer(api.advertised.upperBound)
                writer.endStructure()
            }
            if isSupported, call.version >= 1 { writer.noThrottle() }
            writer.endStructure()
        }
    }
}
