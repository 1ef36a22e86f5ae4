extension Templates {
    static let plan = """
        {{<layout}}{{$main}}
        <h1>Dry run: {{headline}}</h1>
        <p class="lead">Nothing has been changed. {{chosen}}</p>
        {{#faults}}<p class="alert" role="alert">{{.}}</p>
        {{/faults}}
        {{#warnings}}<p class="notice warn">{{.}}</p>
        {{/warnings}}
        <div class="columns">
        {{#hasTargets}}<section aria-labelledby="h-go"><h2 id="h-go">What would go where</h2>
        <table><thead><tr><th scope="col">To topic</th><th scope="col" class="n">Records</th></tr></thead><tbody>
        {{#targets}}<tr><th scope="row">{{target}}</th><td class="n">{{records}}</td></tr>
        {{/targets}}</tbody></table></section>{{/hasTargets}}
        {{#hasRefusals}}<section aria-labelledby="h-stay"><h2 id="h-stay">What stays, and why</h2>
        <table><thead><tr><th scope="col" class="n">Letters</th><th scope="col">Why</th></tr></thead><tbody>
        {{#refusals}}<tr><td class="n">{{refused}}</td><td>{{sentence}} <span class="hush">{{yields}}</span></td></tr>
        {{/refusals}}</tbody></table></section>{{/hasRefusals}}
        {{#hasEditFaults}}<section aria-labelledby="h-faults"><h2 id="h-faults">What cannot be changed so</h2>
        <table><thead><tr><th scope="col" class="n">Letters</th><th scope="col">Why</th></tr></thead><tbody>
        {{#editFaults}}<tr><td class="n">{{letters}}</td><td>{{fault}}</td></tr>
        {{/editFaults}}</tbody></table></section>{{/hasEditFaults}}
        </div>
        {{#hasChanges}}<section aria-labelledby="h-changes"><h2 id="h-changes">What changes</h2>
        <p class="hush">What is personal, secret or unknown is shown as a mark.</p>
        <table><thead><tr><th scope="col">Letter</th><th scope="col">Before → after</th></tr></thead><tbody>
        {{#changes}}<tr><th scope="row"><a class="id" href="/letters/{{changed}}">{{changedShort}}</a></th>
        <td class="id">{{#differences}}{{.}}<br>{{/differences}}</td></tr>
        {{/changes}}</tbody></table>
        {{#moreChanges}}<p class="hush">{{.}}</p>{{/moreChanges}}</section>{{/hasChanges}}
        {{#frame.mayAct}}{{#confirm}}
        <section class="confirm" aria-labelledby="h-confirm">
        <h2 id="h-confirm">Replay</h2>
        <p>{{pace}}</p>
        <form method="post" action="/replays">
        <input type="hidden" name="csrf" value="{{frame.token}}">
        <input type="hidden" name="plan" value="{{plan}}">
        <p><label for="because">Why</label>
        <input id="because" name="because" value="{{because}}" required minlength="5" maxlength="500" autocomplete="off"></p>
        <p class="check"><input type="checkbox" id="confirmed" name="confirmed" value="yes" required>
        <label for="confirmed">{{confirmWords}}</label></p>
        <p class="actions"><button class="primary" type="submit">Replay {{planned}}</button></p>
        </form></section>
        {{/confirm}}{{/frame.mayAct}}
        {{#hasHow}}<details class="filter"><summary>Change how it is done</summary>
        {{#script}}<form method="post" action="/mend">
        <input type="hidden" name="csrf" value="{{frame.token}}">
        <p><label for="script">Changes, one on each line</label>
        <textarea id="script" name="script" rows="4" required spellcheck="false" autocomplete="off">
        {{text}}</textarea></p>
        {{> how}}
        </form>{{/script}}
        {{^script}}<form method="get" action="/plan">
        {{> how}}
        </form>{{/script}}
        </details>{{/hasHow}}
        {{#hasItems}}<section aria-labelledby="h-which"><h2 id="h-which">Which</h2>
        <div class="scroll" tabindex="0" role="group" aria-labelledby="h-which"><table>
        <thead><tr><th scope="col">Letter</th><th scope="col">Reason</th><th scope="col">Written</th>
        <th scope="col">From</th><th scope="col">To</th><th scope="col" class="n">Replays</th></tr></thead><tbody>
        {{#items}}<tr><th scope="row"><a class="id" href="/letters/{{id}}">{{short}}</a></th><td>{{reason}}</td>
        <td class="nowrap">{{ago}}</td><td class="id">{{source}}</td><td>{{to}}</td><td class="n">{{replays}}</td></tr>
        {{/items}}</tbody></table></div>
        {{#more}}<p class="hush">{{.}}</p>{{/more}}</section>{{/hasItems}}
        {{/main}}{{/layout}}
        """

    /// The fields that say how a replay is done; a partial of `plan`.
    static let how = """
        {{#hidden}}<input type="hidden" name="{{name}}" value="{{value}}">
        {{/hidden}}
        <div class="fields">
        <p><label for="rate">Records a second</label><input id="rate" name="rate" inputmode="decimal" value="{{rate}}"></p>
        <p><label for="maximum">At most so many</label>
        <input id="maximum" name="maximum" inputmode="numeric" value="{{maximum}}"></p>
        <p><label for="target">To another topic</label>
        <input id="target" name="target" value="{{otherTarget}}" placeholder="the one each came from" autocomplete="off"></p>
        <p><label for="timestamp">Time of the record</label><select id="timestamp" name="timestamp">
        <option value="original">as it was</option><option value="now"{{#isNow}} selected{{/isNow}}>now</option>
        </select></p>
        </div>
        <p class="check"><input type="checkbox" id="force" name="force" value="yes"{{#isForced}} checked{{/isForced}}>
        <label for="force">Also what was replayed without success, discarded, died too often, or cannot be helped</label></p>
        <p class="check"><input type="checkbox" id="again" name="again" value="yes"{{#isAgain}} checked{{/isAgain}}>
        <label for="again">Also what has succeeded after a replay: it happens a second time</label></p>
        <p class="actions"><button type="submit">Dry run again</button></p>
        """

    static let aside = """
        {{<layout}}{{$main}}
        <h1>{{words.verb}} {{headline}}</h1>
        <p class="lead">{{words.lead}} {{chosen}}</p>
        {{#faults}}<p class="alert" role="alert">{{.}}</p>
        {{/faults}}
        {{#confirm}}
        <section class="confirm" aria-labelledby="h-confirm">
        <h2 id="h-confirm">{{words.verb}}</h2>
        <form method="post" action="{{words.address}}">
        <input type="hidden" name="csrf" value="{{frame.token}}">
        <input type="hidden" name="plan" value="{{plan}}">
        <p><label for="because">Why</label>
        <input id="because" name="because" required minlength="5" maxlength="500" autocomplete="off"></p>
        <p class="check"><input type="checkbox" id="confirmed" name="confirmed" value="yes" required>
        <label for="confirmed">{{confirmWords}}</label></p>
        <p class="actions"><button class="danger" type="submit">{{words.verb}} {{planned}}</button></p>
        </form></section>
        {{/confirm}}
        {{#hasItems}}<section aria-labelledby="h-which"><h2 id="h-which">Which</h2>
        <div class="scroll" tabindex="0" role="group" aria-labelledby="h-which"><table>
        <thead><tr><th scope="col">Letter</th><th scope="col">Reason</th><th scope="col">Written</th>
        <th scope="col">State</th></tr></thead><tbody>
        {{#items}}<tr><th scope="row"><a class="id" href="/letters/{{id}}">{{short}}</a></th><td>{{reason}}</td>
        <td class="nowrap">{{ago}}</td><td><span class="state {{stateClass}}">{{state}}</span></td></tr>
        {{/items}}</tbody></table></div>
        {{#more}}<p class="hush">{{.}}</p>{{/more}}</section>{{/hasItems}}
        {{/main}}{{/layout}}
        """

    static let batch = """
        {{<layout}}{{$main}}
        <h1>Replay <span class="id">{{batch}}</span></h1>
        <div id="live" aria-live="polite"{{#frame.reload}} data-live="{{.}}"{{/frame.reload}}>
        <p class="lead" id="outcome">{{outcome}}</p>
        {{#sentences}}<p>{{.}}</p>
        {{/sentences}}
        {{#progress}}<p><label for="progress">{{progressWords}}</label>
        <progress id="progress" max="{{planned}}" value="{{done}}">{{done}}</progress></p>
        {{#frame.mayAct}}{{#stoppable}}<form method="post" action="/replays/{{batch}}/stop"><input type="hidden" name="csrf" value="{{frame.token}}">
        <p class="actions"><button class="danger" type="submit">Stop after the running transaction</button></p></form>{{/stoppable}}{{/frame.mayAct}}
        {{/progress}}
        {{#hasParts}}<ul class="parts">
        {{#parts}}<li><span class="state {{partClass}}">{{part}}</span> {{partCount}}</li>
        {{/parts}}</ul>{{/hasParts}}
        <dl class="facts">
        {{#facts}}<div><dt>{{fact}}</dt><dd>{{value}}</dd></div>
        {{/facts}}</dl>
        {{#hasReplays}}<div class="scroll" tabindex="0" role="region" aria-label="Replays"><table>
        <caption>{{caption}}</caption>
        <thead><tr><th scope="col">Letter</th><th scope="col">How it ended</th><th scope="col">Why</th>
        <th scope="col">Sent</th><th scope="col">To</th></tr></thead><tbody>
        {{#replays}}<tr><th scope="row"><a class="id" href="/letters/{{id}}">{{short}}</a></th>
        <td><span class="state {{stateClass}}">{{state}}</span></td><td>{{why}}</td>
        <td class="nowrap">{{sent}}</td><td>{{to}}</td></tr>
        {{/replays}}</tbody></table></div>{{/hasReplays}}
        </div>
        <p><a href="/replays">All replays</a></p>
        {{/main}}{{/layout}}
        """
}
