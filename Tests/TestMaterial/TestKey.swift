/// A pair of keys on P-256, in PEM. The pairs are throw-away test material.
package struct TestKey: Sendable {
    package let privatePEM: String
    package let publicPEM: String

    package static let usual = TestKey(
        privatePEM: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgcCJxFFSGRiometIc
            Kg/D5jn86t4Hf057JwC2gpdzZJahRANCAARNUVHaCGVrfFoO9691pkFhEJMn8kmb
            3IdxfvpUVPCxG+1hjyAZIEht5/7JdLjTFQwLjj0gOoCj8WP0Vezn54cp
            -----END PRIVATE KEY-----
            """,
        publicPEM: """
            -----BEGIN PUBLIC KEY-----
            MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAETVFR2ghla3xaDvevdaZBYRCTJ/JJ
            m9yHcX76VFTwsRvtYY8gGSBIbef+yXS40xUMC449IDqAo/Fj9FXs5+eHKQ==
            -----END PUBLIC KEY-----
            """
    )

    package static let other = TestKey(
        privatePEM: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg4+GXGmW4in3XqzEf
            Q4VptopkbMupgekNLjAxyf+0JKihRANCAARLsiqzDci2TcOn/L/GWBvknRdSxfVg
            uBYB5gHs2ndUWZFqswTg37MpXy/n77tZDtG9wozdcludrspPHRIN0byQ
            -----END PRIVATE KEY-----
            """,
        publicPEM: """
            -----BEGIN PUBLIC KEY-----
            MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAES7Iqsw3Itk3Dp/y/xlgb5J0XUsX1
            YLgWAeYB7Np3VFmRarME4N+zKV8v5++7WQ7RvcKM3XJbna7KTx0SDdG8kA==
            -----END PUBLIC KEY-----
            """
    )
}
