extension Templates {
    static let list = """
        {{<layout}}{{$main}}
        <h1>Which notifications arrive</h1>
        <form class="filter" method="get" action="/" role="search" aria-label="Filter the messages">
        {{#inputs}}<p><label for="f-{{name}}">{{label}}</label>
        <input id="f-{{name}}" name="{{name}}" value="{{value}}" list="c-{{name}}" autocomplete="off" spellcheck="false">
        <datalist id="c-{{name}}">{{#choices}}<option value="{{.}}"></option>{{/choices}}</datalist></p>
        {{/inputs}}
        <p class="actions"><button type="submit">Show</button>{{#isFiltered}} <a href="/">Show all</a>{{/isFiltered}}</p>
        </form>
        {{> listLive}}
        {{/main}}{{/layout}}
        """

    static let listLive = """
        <div id="live" data-seconds="{{frame.reload}}">
        {{> standing}}
        {{#hasRows}}
        <dl class="totals">
        <div><dt>Arrived, of accepted</dt><dd class="big">{{arrivalRateTotal}}</dd></div>
        <div><dt>Opened, of arrived</dt><dd class="big">{{openRateTotal}}</dd></div>
        <div><dt>Messages</dt><dd>{{messageTotal}}</dd><dd class="hush">{{countingTotal}} still counting</dd></div>
        <div><dt>Accepted</dt><dd>{{acceptedTotal}}</dd></div>
        <div><dt>Arrived</dt><dd>{{arrivedTotal}}</dd></div>
        <div><dt>Opened</dt><dd>{{openedTotal}}</dd></div>
        </dl>
        <div class="scroll" id="scroll-list" tabindex="0" role="region" aria-labelledby="list-caption">
        <table class="messages">
        <caption id="list-caption">Messages, those first that were updated last</caption>
        <thead><tr><th scope="col">Message</th><th scope="col">State</th><th scope="col" class="n">Accepted</th>
        <th scope="col">Arrived</th><th scope="col" class="n">Opened</th><th scope="col" class="n">Half arrive within</th>
        <th scope="col" class="n">Updated</th></tr></thead>
        <tbody>
        {{#rows}}<tr>
        <th scope="row">{{#address}}<a href="{{.}}">{{id}}</a>{{/address}}{{^address}}{{id}}{{/address}}
        <span class="hush">{{origin}}</span></th>
        <td class="c-state"><span class="tag {{stateClass}}">{{state}}</span></td>
        <td class="n c-accepted">{{accepted}}</td>
        <td class="c-arrived"><strong>{{arrivalRate}}</strong> <span class="hush">{{arrived}}</span>
        <svg class="bar" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true"><rect class="rail" \
        width="1000" height="10"/><rect class="fill" width="{{arrivedBar}}" height="10"/></svg></td>
        <td class="n c-opened"><strong>{{openRate}}</strong> <span class="hush">{{opened}}</span></td>
        <td class="n c-median">{{median}}</td>
        <td class="n c-updated"><time datetime="{{updatedMachine}}" title="{{updatedTime}}">{{updated}}</time></td>
        </tr>
        {{/rows}}
        </tbody></table></div>
        {{/hasRows}}
        {{^hasRows}}<p class="lead">{{nothing}}</p>{{/hasRows}}
        {{#pager}}<nav class="pager" aria-label="More messages">
        {{#previous}}<a href="{{.}}" rel="prev">Previous</a>{{/previous}}
        <span>{{words}}</span>
        {{#following}}<a href="{{.}}" rel="next">Next</a>{{/following}}
        </nav>{{/pager}}
        <p class="hush foot">{{frame.freshness}}</p>
        </div>
        """
}
