/**
 * The frame of the pages for visitors of a short link. It has a light and a dark style, is readable
 * on a phone, and contains no script. The policy allows only this one style sheet, by its hash.
 */
import { htmlPage, markup, pageHeaders, type Markup } from '#dodeca/kernel'

const style = `
:root { color-scheme: light dark; --ink: light-dark(#1c2026, #e6e9ee);
  --soft: light-dark(#4d5562, #a6afbc); --line: light-dark(#d5d9df, #363b43);
  --card: light-dark(#fff, #1b1e23); --back: light-dark(#f1f3f5, #121417);
  --accent: light-dark(#1a56b0, #8ab4ff); --warn: light-dark(#8a4b00, #ffc36b) }
* { box-sizing: border-box }
html { height: 100% }
body { margin: 0; min-height: 100%; display: grid; place-items: center; padding: 1rem;
  background: var(--back); color: var(--ink); font: 1.05rem/1.55 system-ui, sans-serif }
main { width: 100%; max-width: 34rem; padding: 2rem; background: var(--card);
  border: 1px solid var(--line); border-radius: .8rem }
h1 { margin: 0 0 .6rem; font-size: 1.45rem; line-height: 1.25 }
main.warning { border-top: .4rem solid var(--warn) }
p { margin: 0 0 1rem }
.host { display: block; margin: 1.2rem 0; padding: .8rem 1rem; border: 1px solid var(--line);
  border-radius: .5rem; font-weight: 600; font-size: 1.2rem; overflow-wrap: anywhere }
dl { margin: 1.2rem 0; display: grid; grid-template-columns: max-content 1fr; gap: .5rem 1.2rem }
dt { color: var(--soft) }
dd { margin: 0; overflow-wrap: anywhere }
.button { display: inline-block; padding: .6rem 1.2rem; border-radius: .5rem;
  border: 2px solid var(--accent); color: var(--accent); font-weight: 600; text-decoration: none }
.button:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px }
.button:hover { background: light-dark(#eaf1fc, #232a36) }
.soft { color: var(--soft); font-size: .95rem; margin-bottom: 0 }
@media (max-width: 30rem) { main { padding: 1.3rem } dl { grid-template-columns: 1fr; gap: .1rem }
  dd { margin-bottom: .7rem } .button { display: block; text-align: center } }
`

export type Page = { readonly html: string; readonly headers: Readonly<Record<string, string>> }

const headers: Page['headers'] = {
  ...pageHeaders(style, "form-action 'none'; "),
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

export function pageOf(title: string, kind: 'plain' | 'warning', body: Markup): Page {
  const page = markup`<main class="${kind}">
<h1>${title}</h1>
${body}
</main>`
  const head = markup`<meta name="robots" content="noindex">`
  return { html: htmlPage({ title, head, style, body: page }), headers }
}
