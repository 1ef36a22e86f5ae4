extension Templates {
    static let pager = """
        {{#pages}}<nav class="pager" aria-label="More of the list">
        {{#previous}}<a href="{{.}}" rel="prev">Previous</a>{{/previous}}
        <span>{{words}}</span>
        {{#following}}<a href="{{.}}" rel="next">Next</a>{{/following}}
        </nav>{{/pages}}
        """

    static let groups = """
        {{<layout}}{{$main}}
        <h1>{{headline}}</h1>
        <dl class="totals">
        <div><dt>Open</dt><dd class="big">{{openTotal}}</dd></div>
        <div><dt>Groups</dt><dd>{{groupTotal}}</dd></div>
        <div><dt>Oldest open</dt><dd>{{oldest}}</dd></div>
        <div><dt>All letters</dt><dd>{{letterTotal}}</dd></div>
        </dl>
        {{> filter}}
        {{#hasRows}}
        <div class="scroll"><table class="groups">
        <caption>Letters that failed for the same reason, most open ones first</caption>
        <thead><tr><th scope="col">What broke</th><th scope="col" class="n">Open</th>
        <th scope="col" class="n">All</th><th scope="col">Last day</th><th scope="col">Last seen</th>
        <th scope="col">What to do</th></tr></thead>
        <tbody>
        {{#rows}}<tr{{#isSettled}} class="settled"{{/isSettled}}>
        <th scope="row"><a href="{{address}}">{{reason}}</a> <span class="tag">{{kind}}</span>
        <p class="hush">{{meaning}}</p><p class="hush">{{place}}</p>{{#said}}<p>{{.}}</p>{{/said}}</th>
        <td class="n open">{{open}}</td>
        <td class="n">{{all}}<p class="hush">{{share}}</p></td>
        <td><svg class="spark" viewBox="0 0 96 24" role="img" aria-label="{{sparkWords}}"><path d="{{spark}}"/></svg></td>
        <td class="nowrap"><time datetime="{{lastMachine}}" title="{{lastTime}}">{{last}}</time>
        <p class="hush">first <time datetime="{{firstMachine}}" title="{{firstTime}}">{{first}}</time></p></td>
        <td><p class="can {{canClass}}">{{can}}</p>
        {{#dryRun}}<a href="{{.}}">Dry run<span class="unseen"> of {{reason}}</span></a>{{/dryRun}}</td>
        </tr>
        {{/rows}}
        </tbody></table></div>
        {{> pager}}
        {{/hasRows}}
        {{^hasRows}}<p class="lead">{{nothing}}</p>{{/hasRows}}
        {{/main}}{{/layout}}
        """

    static let letters = """
        {{<layout}}{{$main}}
        <h1>{{headline}}</h1>
        {{#about}}
        <p class="hush">{{aboutWords}}</p>
        <section class="guide" aria-label="What this reason means">
        <p>{{aboutMeaning}}</p>
        <p><strong class="can {{aboutClass}}">{{aboutCan}}</strong> {{aboutAdvice}}</p>
        </section>
        {{/about}}
        {{#hasLetters}}<p class="actions"><a class="button{{#canReplay}} primary{{/canReplay}}" href="{{dryRun}}">Dry run of these</a>
        {{#frame.mayAct}}<a class="button{{^canReplay}} primary{{/canReplay}}" href="{{mend}}">Mend these …</a>
        <a class="button" href="{{discard}}">Discard these …</a>
        {{#restore}}<a class="button" href="{{.}}">Bring back …</a>{{/restore}}{{/frame.mayAct}}</p>{{/hasLetters}}
        {{#team}}{{> notes}}{{/team}}
        {{> filter}}
        {{#hasLetters}}
        <form method="get" action="/plan">
        <div class="scroll"><table class="letters">
        <caption>Dead letters, open ones first, then the latest first</caption>
        <thead><tr><th scope="col"><span class="unseen">Choose</span></th><th scope="col">Letter</th>
        <th scope="col">Written</th><th scope="col">State</th><th scope="col">Reason</th><th scope="col">Key</th>
        <th scope="col">From</th><th scope="col" class="n">Tries</th><th scope="col" class="n">Size</th></tr></thead>
        <tbody>
        {{#rows}}<tr>
        <td><input type="checkbox" name="id" value="{{id}}" aria-label="Choose {{short}}"></td>
        <th scope="row"><a class="id" href="/letters/{{id}}">{{short}}</a></th>
        <td class="nowrap"><time datetime="{{machine}}" title="{{time}}">{{ago}}</time></td>
        <td><span class="state {{stateClass}}">{{state}}</span></td>
        <td class="reason">{{reason}}</td><td class="id" data-name="Key">{{key}}</td>
        <td class="id" data-name="From">{{source}}</td>
        <td class="n" data-name="Tries">{{attempts}}</td><td class="n" data-name="Size">{{size}}</td>
        </tr>
        {{/rows}}
        </tbody></table></div>
        <p class="actions"><button type="submit">Dry run of the chosen</button>
        {{#frame.mayAct}}<button type="submit" formaction="/mend">Mend the chosen …</button>{{/frame.mayAct}}</p>
        </form>
        {{> pager}}
        {{/hasLetters}}
        {{^hasLetters}}<p class="lead">No dead letter is like that.</p>{{/hasLetters}}
        {{/main}}{{/layout}}
        """

    static let batches = """
        {{<layout}}{{$main}}
        <h1>Replays, and how they ended</h1>
        <div class="scroll"><table>
        <thead><tr><th scope="col">Replay</th><th scope="col">When</th><th scope="col">Who</th>
        <th scope="col">How it ended</th><th scope="col">To</th><th scope="col">Why</th></tr></thead>
        <tbody>
        {{#rows}}<tr><th scope="row"><a class="id" href="/replays/{{batch}}">{{batch}}</a></th>
        <td class="nowrap"><time datetime="{{machine}}" title="{{time}}">{{ago}}</time></td><td>{{by}}</td>
        <td>{{outcome}}</td><td>{{targets}}</td><td>{{because}}</td></tr>
        {{/rows}}
        {{^rows}}<tr><td colspan="6">Nothing has been replayed yet.</td></tr>{{/rows}}
        </tbody></table></div>
        {{/main}}{{/layout}}
        """
}
