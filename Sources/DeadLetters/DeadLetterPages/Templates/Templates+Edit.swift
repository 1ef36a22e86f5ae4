extension Templates {
    static let edit = """
        {{<layout}}{{$main}}
        <h1>Edit letter <a class="id" href="/letters/{{id}}">{{short}}</a></h1>
        {{^editor}}
        <section class="reveal" aria-labelledby="h-why">
        <h2 id="h-why">Why do you edit it?</h2>
        <p>The payload is shown unmasked. Your name and the reason go into the audit trail first.</p>
        <form method="post" action="/letters/{{id}}/edit">
        <input type="hidden" name="csrf" value="{{frame.token}}">
        <p><label for="because">Why</label>
        <input id="because" name="because" required minlength="5" maxlength="500" autocomplete="off"></p>
        <p class="actions"><button class="primary" type="submit">Show the payload</button></p>
        </form></section>
        {{/editor}}
        {{#editor}}
        <p class="lead">Change the payload. It is held to its schema and to the rules of its worker, and you see the
        difference before anything is sent.</p>
        <div id="complaint">{{#fault}}<p class="alert" role="alert">{{.}}</p>{{/fault}}
        {{#faultLine}}<pre class="payload" aria-label="The line">{{number}} | {{content}}</pre>{{/faultLine}}</div>
        <form method="post" action="/letters/{{id}}/edit">
        <input type="hidden" name="csrf" value="{{frame.token}}">
        <input type="hidden" name="because" value="{{because}}">
        <p><label for="payload">Payload</label>
        <textarea id="payload" name="payload" rows="{{rows}}" aria-describedby="complaint" spellcheck="false" autocomplete="off">
        {{text}}</textarea></p>
        <p class="actions"><button class="primary" type="submit">Check it</button>
        <a class="button" href="/letters/{{id}}">Leave it as it is</a></p>
        </form>
        {{/editor}}
        {{/main}}{{/layout}}
        """

    static let mend = """
        {{<layout}}{{$main}}
        <h1>Mend many letters</h1>
        <p class="lead">Every letter is changed in the same way. You see what changes, and what cannot be changed so, before
        anything is sent. {{chosen}}</p>
        {{#faults}}<p class="alert" role="alert">{{.}}</p>
        {{/faults}}
        <form method="post" action="/mend">
        <input type="hidden" name="csrf" value="{{frame.token}}">
        {{#hidden}}<input type="hidden" name="{{name}}" value="{{value}}">
        {{/hidden}}
        <p><label for="script">Changes, one on each line</label>
        <textarea id="script" name="script" rows="6" aria-describedby="examples" required spellcheck="false" autocomplete="off">
        {{script}}</textarea></p>
        <div id="examples" class="hush"><p>Such as:</p>
        <ul><li><code>set value = 4990</code>, also <code>set items[0].name = "a b"</code></li>
        <li><code>rename deviceID to deviceId</code></li><li><code>delete note</code></li>
        <li><code>convert value to number</code>, or to text, flag or time</li>
        <li><code>multiply value by 100</code></li></ul></div>
        <p class="actions"><button class="primary" type="submit">Try it on these letters</button></p>
        </form>
        {{/main}}{{/layout}}
        """
}
