/// The files that pages load: icon, script and style sheet.
enum Assets {
    /// The icon, as SVG.
    static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#274c77"/>\
        <path d="M6 10h20v13H6z" fill="none" stroke="#fff" stroke-width="2.5"/>\
        <path d="M6 11l10 7 10-7" fill="none" stroke="#fff" stroke-width="2.5"/></svg>
        """

    /// The script, which updates the part of a page that shows a running replay, so that the browser does not
    /// reload the whole page. Every page also works without it.
    static let script = """
        "use strict";
        (() => {
          // The time of this place, beside UTC: behind a time that stands there in full, otherwise where the mouse rests.
          const here = (root) => {
            for (const one of root.querySelectorAll("time[datetime]")) {
              const date = new Date(one.dateTime);
              if (isNaN(date) || date.getTimezoneOffset() === 0 || one.dataset.here) continue;
              const isToday = date.toDateString() === new Date().toDateString();
              const local = date.toLocaleString([], { dateStyle: isToday ? undefined : "medium", timeStyle: "medium" });
              one.dataset.here = local;
              if (one.title) one.title += `, ${local} here`;
              if (one.textContent.endsWith("UTC")) one.append(` (${local} here)`);
            }
          };
          here(document);
          const watch = () => {
            const live = document.querySelector("[data-live]");
            if (!live) return;
            const seconds = Math.max(1, Number(live.dataset.live) || 2);
            setTimeout(async () => {
              // A user who is about to press a button there is not interrupted.
              if (!live.contains(document.activeElement)) {
                try {
                  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
                  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
                  const next = page.getElementById("live");
                  if (answer.ok && next) {
                    live.replaceChildren(...next.childNodes);
                    here(live);
                    if (!next.dataset.live) delete live.dataset.live;
                  }
                } catch { /* The server may be back in a moment. */ }
              }
              watch();
            }, seconds * 1000);
          };
          watch();
        })();
        """

    /// The style sheet, for light and dark screens.
    static let style = """
        :root {
          color-scheme: light dark;
          --page: #f6f7f9; --card: #ffffff; --text: #1a2230; --hush: #556072; --line: #d8dde5;
          --accent: #1f5fa8; --accent-text: #ffffff; --focus: #b45309;
          --bad: #a61b1b; --bad-soft: #fdecec; --warn: #8a5300; --warn-soft: #fff4de;
          --good: #1c6b3a; --good-soft: #e6f5ec; --info-soft: #e8f0fa; --bar: #4a79b0;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --page: #11151b; --card: #191f27; --text: #e4e9f0; --hush: #9aa7b8; --line: #313a46;
            --accent: #7fb2ec; --accent-text: #0d1117; --focus: #f5b453;
            --bad: #ff9a94; --bad-soft: #3a1d1f; --warn: #f3c06b; --warn-soft: #35290f;
            --good: #84d6a2; --good-soft: #16301f; --info-soft: #1b2a3c; --bar: #6f9fd6;
          }
        }
        * { box-sizing: border-box; }
        html { -webkit-text-size-adjust: 100%; }
        body { margin: 0; background: var(--page); color: var(--text);
          font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
        a { color: var(--accent); }
        a:focus-visible, button:focus-visible, input:focus-visible, select:focus-visible, summary:focus-visible,
        pre:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 3px; }
        main:focus { outline: none; }
        .skip { position: absolute; left: -100vw; top: 0; background: var(--card); padding: .5rem 1rem; z-index: 2; }
        .skip:focus { left: .5rem; top: .5rem; }
        .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
        .top { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1.5rem; padding: .6rem 1.25rem;
          background: var(--card); border-bottom: 1px solid var(--line); }
        .brand { font-weight: 700; text-decoration: none; color: var(--text); }
        .top ul { display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; list-style: none; margin: 0; padding: 0; }
        .top nav a { text-decoration: none; padding: .15rem 0; display: inline-block; }
        .top nav a[aria-current] { color: var(--text); font-weight: 600; border-bottom: 2px solid var(--accent); }
        .who { margin: 0 0 0 auto; font-size: .9rem; overflow-wrap: anywhere; }
        main, footer { max-width: 80rem; margin: 0 auto; padding: 0 1.25rem; }
        footer { color: var(--hush); font-size: .85rem; padding-bottom: 2rem; }
        h1 { font-size: 1.6rem; line-height: 1.25; margin: 1.4rem 0 .6rem; overflow-wrap: anywhere; }
        h2 { font-size: 1.1rem; margin: 1.6rem 0 .5rem; }
        p { margin: .4rem 0; }
        .lead { font-size: 1.1rem; }
        .hush { color: var(--hush); }
        td .hush, th .hush { font-size: .85rem; font-weight: 400; margin: 0; }
        .totals { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .75rem; margin: 1rem 0; }
        .totals div { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .6rem .9rem; }
        .totals dt { color: var(--hush); font-size: .85rem; }
        .totals dd { margin: 0; font-size: 1.25rem; font-weight: 600; font-variant-numeric: tabular-nums; }
        .totals .big { font-size: 1.7rem; line-height: 1.2; color: var(--bad); }
        .scroll { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: 8px; margin: .8rem 0; }
        table { border-collapse: collapse; width: 100%; }
        .columns table { background: var(--card); border: 1px solid var(--line); }
        caption { text-align: left; color: var(--hush); font-size: .85rem; padding: .6rem .75rem 0; }
        th, td { text-align: left; vertical-align: top; padding: .55rem .75rem; border-bottom: 1px solid var(--line); }
        tbody tr:last-child > * { border-bottom: 0; }
        thead th { color: var(--hush); font-size: .85rem; font-weight: 600; white-space: nowrap; }
        tbody th { font-weight: 600; overflow-wrap: break-word; }
        tbody tr:hover { background: var(--info-soft); }
        td { overflow-wrap: break-word; }
        a.id { white-space: nowrap; }
        th a.id { display: inline-block; padding: .3rem 0; }
        .n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; overflow-wrap: normal; }
        .nowrap { white-space: nowrap; overflow-wrap: normal; }
        .groups tbody th { min-width: 16rem; overflow-wrap: anywhere; }
        .open { font-weight: 700; font-size: 1.1rem; }
        .settled .open { font-weight: 400; color: var(--hush); }
        .urgent { background: var(--warn-soft); }
        .id, code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .9em; }
        .tag, .state { display: inline-block; font-size: .78rem; font-weight: 600; line-height: 1.3; padding: .1rem .5rem;
          border-radius: 99px; background: var(--info-soft); color: var(--text); white-space: nowrap; vertical-align: middle; }
        .state.open { background: var(--bad-soft); color: var(--bad); font-size: .78rem; }
        .state.dead_again, .state.rejected, .state.expired { background: var(--warn-soft); color: var(--warn); }
        .state.succeeded { background: var(--good-soft); color: var(--good); }
        .can { margin: 0; font-weight: 600; }
        .can.yes { color: var(--good); } .can.after_fix { color: var(--warn); } .can.no { color: var(--bad); }
        .spark { width: 96px; height: 24px; display: block; border-bottom: 1px solid var(--line); }
        .spark path { fill: var(--bar); }
        .guide, .confirm, .reveal { background: var(--card); border: 1px solid var(--line); border-left: 4px solid var(--accent);
          border-radius: 8px; padding: .4rem 1.1rem .8rem; margin: .8rem 0; }
        .guide h2, .confirm h2, .reveal h2 { margin: .7rem 0 .1rem; font-size: .95rem; }
        .alert, .notice { border-radius: 8px; padding: .6rem .9rem; background: var(--info-soft); }
        .alert { background: var(--bad-soft); color: var(--bad); }
        .warn { background: var(--warn-soft); color: var(--warn); }
        .columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); gap: 0 1.5rem; }
        .filter { background: var(--card); border: 1px solid var(--line); border-radius: 8px; margin: .8rem 0; padding: .5rem .9rem; }
        summary { cursor: pointer; font-weight: 600; }
        .words { font-weight: 400; color: var(--hush); overflow-wrap: anywhere; }
        .fields { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: .3rem 1rem; }
        label { display: block; font-size: .85rem; color: var(--hush); }
        .check { display: flex; gap: .6rem; align-items: baseline; }
        .check label { font-size: 1rem; color: var(--text); }
        input:not([type=checkbox]):not([type=hidden]), select { width: 100%; font: inherit; color: inherit; background: var(--page);
          border: 1px solid var(--hush); border-radius: 5px; padding: .35rem .5rem; }
        textarea { width: 100%; color: inherit; background: var(--page); border: 1px solid var(--hush); border-radius: 5px;
          padding: .5rem .6rem; font: .88rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
        input[type=checkbox] { flex: none; width: 1.5rem; height: 1.5rem; accent-color: var(--accent); }
        .confirm input:not([type=checkbox]), .reveal input, .notes input { max-width: 40rem; }
        .actions { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; margin: .8rem 0 .3rem; }
        button, .button { font: inherit; font-weight: 600; border: 1px solid var(--accent); border-radius: 6px; cursor: pointer;
          background: transparent; color: var(--accent); padding: .4rem 1rem; text-decoration: none; display: inline-block; }
        .primary { background: var(--accent); color: var(--accent-text); }
        .danger { border-color: var(--bad); color: var(--bad); }
        .facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(21rem, 100%), 1fr)); gap: .5rem 1.5rem; margin: .5rem 0; }
        .facts dt { color: var(--hush); font-size: .85rem; } .facts dd { margin: 0; overflow-wrap: anywhere; }
        .payload { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1rem; overflow: auto;
          max-height: 34rem; white-space: pre-wrap; overflow-wrap: anywhere; margin: .5rem 0;
          font: .88rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
        .headers { table-layout: fixed; }
        .headers td, .headers th { overflow-wrap: anywhere; }
        .headers th:first-child { width: 38%; }
        .history { padding-left: 1.2rem; }
        .pager { display: flex; gap: 1rem; align-items: center; margin: .8rem 0; }
        .parts { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; list-style: none; padding: 0; }
        progress { width: 100%; height: 1.1rem; accent-color: var(--accent); }
        @media (max-width: 40rem) {
          main, footer { padding: 0 .8rem; } .top { padding: .6rem .8rem; } .who { margin-left: 0; }
          h1 { font-size: 1.35rem; }
          table.groups, .groups caption, .groups thead, .groups tbody, .groups tr, .groups th, .groups td { display: block; }
          .groups thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
          .groups tr { padding: .7rem 0; border-bottom: 1px solid var(--line); display: grid;
            grid-template-columns: auto auto 1fr; gap: .2rem .5rem; }
          .groups tr > * { border: 0; padding: 0 .8rem; }
          .groups tbody th, .groups td:nth-of-type(5) { grid-column: 1 / -1; min-width: 0; }
          .groups .n { text-align: left; }
          .groups .n::after { content: " open"; font-size: .8rem; font-weight: 400; color: var(--hush); }
          .groups td:nth-of-type(2)::after { content: " in all"; }
          .groups td:nth-of-type(2) .hush { display: none; }
          .groups td:nth-of-type(4) { grid-column: 1 / -1; display: flex; gap: .8rem; }
          table.letters, .letters caption, .letters thead, .letters tbody, .letters th, .letters td { display: block; }
          .letters thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
          .letters tr { padding: .7rem .8rem; border-bottom: 1px solid var(--line); display: grid;
            grid-template-columns: auto 1fr auto; gap: .2rem .8rem; align-items: center; }
          .letters tr > * { border: 0; padding: 0; text-align: left; min-width: 0; overflow-wrap: anywhere; }
          .letters td:nth-of-type(3), .letters .reason, .letters td[data-name] { grid-column: 1 / -1; }
          .letters .reason { font-weight: 600; }
          .letters td[data-name]::before { content: attr(data-name) " "; font-size: .8rem; color: var(--hush); }
        }
        @media (prefers-reduced-motion: no-preference) { a, button { transition: background .1s, color .1s; } }
        @media print { .top, .filter, .actions, .pager { display: none; } }
        """
}
