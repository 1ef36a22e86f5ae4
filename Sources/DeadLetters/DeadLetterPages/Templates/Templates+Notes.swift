extension Templates {
    /// The notes on a group, and who looks after it; a partial of `letters`.
    static let notes = """
        <details class="filter notes"{{#hasNotes}} open{{/hasNotes}}>
        <summary>Notes: <span class="words">{{assigned}}</span></summary>
        {{#hasNotes}}<ol class="history">
        {{#notes}}<li><time datetime="{{machine}}" title="{{time}}">{{ago}}</time> {{by}}: {{text}}</li>
        {{/notes}}</ol>{{/hasNotes}}
        {{#frame.mayAct}}
        <form method="post" action="/groups/{{group}}/note">
        <input type="hidden" name="csrf" value="{{frame.token}}">
        <p><label for="note">Note for everybody</label>
        <input id="note" name="note" required maxlength="500" autocomplete="off"></p>
        <p class="actions"><button type="submit">Write it down</button></p>
        </form>
        <form method="post" action="/groups/{{group}}/assign">
        <input type="hidden" name="csrf" value="{{frame.token}}">
        <p><label for="assignee">Who looks after it</label>
        <input id="assignee" name="assignee" value="{{assignee}}" maxlength="100" autocomplete="off" placeholder="nobody"></p>
        <p class="actions"><button type="submit">Assign</button></p>
        </form>
        {{/frame.mayAct}}
        </details>
        """
}
