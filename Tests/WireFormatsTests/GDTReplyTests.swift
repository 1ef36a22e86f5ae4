import Testing

@testable import WireFormats

@Suite struct GDTReplyTests {
    @Test(
        arguments: [
            (#"{"ret":0,"msg":""}"#, 0, ""), (#"{"ret":-12,"msg":"no key"}"#, -12, "no key"),
            (#"{"ret":0}"#, 0, ""),
            (" \r\n{ \"msg\" : \"a\\u0041\\n\\ud83d\\ude00\\/\" , \"ret\" : 7 }\n", 7, "aA\n😀/"),
            ("\u{feff}{\"ret\":1}", 1, ""), (#"{"ret":-1.2e1}"#, -12, ""), (#"{"ret":3.0}"#, 3, ""),
            (#"{"ret":-0}"#, 0, ""), (#"{"ret":1,"ret":2}"#, 2, ""), (#"{"ret":0,"msg":null}"#, 0, ""),
            (#"{"ret":0,"msg":5,"data":{"a":[true,false,null,1e5,"x"]}}"#, 0, ""),
            (#"{"r\u0065t":4}"#, 4, ""),
            (#"{"ret":0,"msg":"\ud800"}"#, 0, "\u{fffd}"), (#"{"ret":9223372036854775807}"#, .max, ""),
        ] as [(String, Int64, String)]
    )
    func readsAnAnswer(body: String, ret: Int64, message: String) throws {
        let reply = try #require(GDTReply(Array(body.utf8)))
        #expect(reply.ret == ret)
        #expect(reply.message == message)
    }

    @Test(arguments: [
        "", " ", "null", "0", "[]", "{}", "[{\"ret\":0}]", #"{"ret":"0"}"#, #"{"ret":null}"#,
        #"{"ret":true}"#,
        #"{"ret":1.5}"#, #"{"ret":1e99}"#, #"{"ret":1e999}"#, #"{"ret":01}"#, #"{"ret":+1}"#, #"{"ret":-}"#,
        #"{"ret":1.}"#, #"{"ret":.5}"#, #"{"ret":1e}"#, #"{"ret":0x1}"#, #"{"ret":0,}"#, #"{,"ret":0}"#,
        #"{"ret":0"#, #"{"ret":0}}"#, #"{"ret":0} x"#, #"{"ret":0,"msg":"a}"#, #"{"ret":0,"msg":"\x"}"#,
        #"{"ret":0,"msg":"\u12g4"}"#, #"{"ret":0,"msg":"\u12"#, "{\"ret\":0,\"msg\":\"\n\"}", "{'ret':0}",
        #"{ret:0}"#, #"{"ret":0 "msg":""}"#, #"{"ret":0,"a":tru}"#, #"{"ret":0,"a":[1,]}"#,
        "<html>ret: 0</html>",
        #"{"msg":"ret"}"#, #"{"data":{"ret":0}}"#, #"{"ret":99999999999999999999}"#,
        #"{"ret":0,"a":"# + String(repeating: "[", count: 50_000),
        #"{"ret":0,"a":"# + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "}",
    ])
    func refusesWhatIsNoAnswer(body: String) {
        #expect(GDTReply(Array(body.utf8)) == nil)
    }

    @Test func isBounded() {
        #expect(
            GDTReply(Array(#"{"ret":0}"#.utf8) + [UInt8](repeating: 0x20, count: GDTReply.bytesLimit)) == nil
        )
    }

    @Test func survivesEveryTruncation() {
        let body = Array(#"{"msg":"a\u0041\"","x":[1,{"y":null}],"ret":-12}"#.utf8)
        for length in 0..<body.count {
            #expect(GDTReply(Array(body.prefix(length))) == nil)
        }
    }

    @Test func takesBytesThatAreNotUTF8ForReplacementCharacters() throws {
        let body = Array(#"{"ret":0,"msg":""#.utf8) + [0xFF] + Array(#""}"#.utf8)
        #expect(try #require(GDTReply(body)).message == "\u{fffd}")
    }
}
