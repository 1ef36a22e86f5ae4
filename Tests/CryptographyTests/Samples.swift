import Testing

@testable import Cryptography

/// Throw-away certificates under a root of our own, and the key of an example.
enum Samples {
    /// The key of RFC 7515, appendix A.3, with its x and y put into a SubjectPublicKeyInfo.
    static let publicKey = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7
        6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
        -----END PUBLIC KEY-----
        """

    static let root = """
        -----BEGIN CERTIFICATE-----
        MIIB7jCCAXOgAwIBAgIIQ4EKYj3l2IIwCgYIKoZIzj0EAwMwPDELMAkGA1UEBhMC
        WloxETAPBgNVBAoMCFRlc3QgT3JnMRowGAYDVQQDDBFUZXN0IFJvb3QgQ0EgLSBH
        MzAeFw0xNDA0MzAwMDAwMDBaFw0zOTA0MzAwMDAwMDBaMDwxCzAJBgNVBAYTAlpa
        MREwDwYDVQQKDAhUZXN0IE9yZzEaMBgGA1UEAwwRVGVzdCBSb290IENBIC0gRzMw
        djAQBgcqhkjOPQIBBgUrgQQAIgNiAASj7xuL8uZJzEo3FFrlofY7dhrs/O8PCWI8
        MMf5gczqHkYLiJ1T/MJt3gEHURHhUYOdJ3tn7l1qbqx+vRgb/VJ80lxegwgRzvv/
        v4Gm5z2I1vkVQLa8pYygoKXa/Yiou2mjQjBAMA8GA1UdEwEB/wQFMAMBAf8wHQYD
        VR0OBBYEFOcU3+zQzMCcxfPfC2ml7ogzqg4xMA4GA1UdDwEB/wQEAwIBBjAKBggq
        hkjOPQQDAwNpADBmAjEAwa8PAe7cN5xQIDADdxXpks95fAn80kuO7t0hyWndAP/K
        OSn3aVQV07OoVTgcipw0AjEA/wd/e0Aj6L1Dvgt+b/FXOvKoumY5dhq3c9Bhi2LR
        CQoGmTl4RSoyvADATDgkKcTB
        -----END CERTIFICATE-----
        """

    static let intermediate = """
        -----BEGIN CERTIFICATE-----
        MIICIDCCAaegAwIBAgIIH8BOahFSepowCgYIKoZIzj0EAwMwPDELMAkGA1UEBhMC
        WloxETAPBgNVBAoMCFRlc3QgT3JnMRowGAYDVQQDDBFUZXN0IFJvb3QgQ0EgLSBH
        MzAeFw0yMTAzMTcwMDAwMDBaFw0zNjAzMTkwMDAwMDBaMDoxCzAJBgNVBAYTAlpa
        MREwDwYDVQQKDAhUZXN0IE9yZzEYMBYGA1UEAwwPVGVzdCBXV0RSIENBIEc2MHYw
        EAYHKoZIzj0CAQYFK4EEACIDYgAEhvn9mBsGer3FMxXRxk7xHxTNZd0+lcVQwsJk
        XEY+ohRt6JneG47rMwyq3XV6Ipd+G2fqHZcY8cvgpAFxHT0W3imnxN7SXhDDpy5U
        Y5KagcxnS4aGkwYDnxAjOyFB8i4wo3gwdjASBgNVHRMBAf8ECDAGAQH/AgEAMB0G
        A1UdDgQWBBTDCqO10/7aVcqX9ABF3fK+OTCyEzAfBgNVHSMEGDAWgBTnFN/s0MzA
        nMXz3wtppe6IM6oOMTAOBgNVHQ8BAf8EBAMCAQYwEAYKKoZIhvdjZAYCAQQCBQAw
        CgYIKoZIzj0EAwMDZwAwZAIwev5uAbNlRSW0MbyoOueZXXLyLROKnhO0cC6o/S1+
        xIRgOuDjoGwgHV69JnkNd2rFAjBZpb32mhjFjvt9doWIlXE29GkTPmvv2ZJpXJmz
        Jify9sRAgzuavcaIKrn4/5MJr+I=
        -----END CERTIFICATE-----
        """

    static let leaf = """
        -----BEGIN CERTIFICATE-----
        MIICATCCAYegAwIBAgIIO6fRUc9zuogwCgYIKoZIzj0EAwMwOjELMAkGA1UEBhMC
        WloxETAPBgNVBAoMCFRlc3QgT3JnMRgwFgYDVQQDDA9UZXN0IFdXRFIgQ0EgRzYw
        HhcNMjIwMTAxMDAwMDAwWhcNMzUwMTAxMDAwMDAwWjA/MQswCQYDVQQGEwJaWjER
        MA8GA1UECgwIVGVzdCBPcmcxHTAbBgNVBAMMFFRlc3QgUmVjZWlwdCBTaWduaW5n
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEN7Mc0SlTyUEFECZQIpPYNzzcbYhl
        1jVpDnHijR2G630YnBI+7qPUB6qm01OQCtbYDacEogEfd88yxurRtv48fKNyMHAw
        DAYDVR0TAQH/BAIwADAdBgNVHQ4EFgQUiDHfkGA5iDY2MJtaxSSG2hTUk6kwHwYD
        VR0jBBgwFoAUwwqjtdP+2lXKl/QARd3yvjkwshMwDgYDVR0PAQH/BAQDAgeAMBAG
        CiqGSIb3Y2QGCwEEAgUAMAoGCCqGSM49BAMDA2gAMGUCMQCO4nkr4NCE0GjliWqz
        IrfVzae2szX3NVYy9sQ0CUcpamm/g0+pNHe+XE7TL1r3Y5ICMAQTxrjtReCsOm6I
        fp5r0jeVdfgEOBq5QcxTw2frD/L1937r4+0dvVAHeaDLXH41wQ==
        -----END CERTIFICATE-----
        """

    static func certificate(_ pem: String) throws -> Certificate {
        try #require(Certificate.all(in: Array(pem.utf8))?.first)
    }

    /// 2024-05-25, when all of them are valid.
    static let time: Int64 = 1_716_595_260
}
