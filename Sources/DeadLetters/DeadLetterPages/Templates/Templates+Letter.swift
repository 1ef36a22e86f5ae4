extension Templates {
    static let letter = """
        {{<layout}}{{$main}}
        <h1>{{headline}} <span class="state {{stateClass}}">{{state}}</span></h1>
        <p class="hush">{{subline}}</p>
        <section class="guide" aria-label="What this reason means">
        <h2>What it means</h2><p>{{meaning}}</p>
        <h2>Can a replay help?</h2><p><strong class="can {{canClass}}">{{can}}</strong> {{canWhy}}</p>
        <h2>What to do</h2><p>{{advice}}</p>
        <p class="actions"><a class="button{{#canReplay}} primary{{/canReplay}}" href="/plan?id={{id}}">Dry run of this letter</a>
        {{#frame.mayAct}}{{#isEditable}}<a class="button" href="/letters/{{id}}/edit">Edit …</a>
        {{/isEditable}}{{#isDiscarded}}<a class="button" href="/restore?id={{id}}">Bring back …</a>
        {{/isDiscarded}}{{^isDiscarded}}<a class="button" href="/discard?id={{id}}">Discard …</a>
        {{/isDiscarded}}{{/frame.mayAct}}        <a class="button" href="/letters?group={{group}}">Its whole group</a></p>
        </section>
        {{#standing}}<p class="notice">{{.}}</p>{{/standing}}
        <section aria-labelledby="h-payload">
        <h2 id="h-payload">Payload <span class="tag">{{form}}</span></h2>
        {{#fault}}<p>The worker cannot use it: <code>{{.}}</code></p>{{/fault}}
        <p class="hush">{{maskNote}}</p>
        <pre class="payload" tabindex="0" aria-label="Payload">{{#lines}}{{.}}
        {{/lines}}</pre>
        {{#cut}}<p class="hush">{{.}}</p>{{/cut}}
        {{#hex}}<details><summary>Bytes, as they are</summary><pre class="payload" tabindex="0" aria-label="Bytes">{{#hexLines}}{{.}}
        {{/hexLines}}</pre></details>{{/hex}}
        </section>
        {{#frame.mayAct}}{{#revealForm}}<section class="reveal" aria-labelledby="h-reveal">
        <h2 id="h-reveal">Look behind the masks</h2>
        <p>Personal data and secrets are shown as marks: equal values have equal marks. To see the values, write down why.
        Your name and the reason go into the audit trail before anything is shown.</p>
        <form method="post" action="/letters/{{id}}/reveal">
        <input type="hidden" name="csrf" value="{{frame.token}}">
        <p><label for="because">Why</label>
        <input id="because" name="because" required minlength="5" maxlength="500" autocomplete="off"></p>
        <p class="actions"><button type="submit">Show what is masked</button></p>
        </form></section>{{/revealForm}}{{/frame.mayAct}}
        <section aria-labelledby="h-facts">
        <h2 id="h-facts">What is known of it</h2>
        <dl class="facts">
        {{#facts}}<div><dt>{{fact}}</dt><dd>{{value}}</dd></div>
        {{/facts}}</dl>
        </section>
        <section aria-labelledby="h-history">
        <h2 id="h-history">History</h2>
        <ol class="history">
        {{#events}}<li><time datetime="{{machine}}">{{time}}</time> {{event}}
        {{#link}}<a class="id" href="{{linkAddress}}">{{linkLabel}}</a>{{/link}}</li>
        {{/events}}</ol>
        </section>
        <section aria-labelledby="h-headers">
        <h2 id="h-headers">Headers <span class="tag">{{headerCount}}</span></h2>
        <div class="scroll" tabindex="0" role="group" aria-labelledby="h-headers"><table class="headers">
        <thead><tr><th scope="col">Name</th><th scope="col">Value</th></tr></thead>
        <tbody>
        {{#headers}}<tr><th scope="row" class="id">{{name}}</th><td class="id">{{content}}</td></tr>
        {{/headers}}
        </tbody></table></div>
        </section>
        {{/main}}{{/layout}}
        """
}
