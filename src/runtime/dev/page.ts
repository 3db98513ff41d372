/**
 * The frame of the development pages: one style sheet, light and dark, readable on a phone. The
 * page loads nothing else, and the policy allows only the page's own script, by its hash.
 */
import { htmlPage, markup, trusted, type Markup } from '#dodeca/kernel'
import { hashSource } from '../../kernel/http/markup.ts'

const style = `
:root { color-scheme: light dark; --line: light-dark(#d8dbe0, #33373e);
  --soft: light-dark(#5b6370, #9aa3b0);
  --card: light-dark(#fff, #1b1e23); --back: light-dark(#f3f4f6, #121417);
  --accent: light-dark(#1f5fbf, #82b1ff); }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 54rem; padding: 1rem; background: var(--back);
  color: light-dark(#1c2026, #e6e9ee);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
h1 { font-size: 1.35rem; margin: 0 }
h2 { font-size: 1.05rem; margin: 1.6rem 0 .5rem }
a { color: var(--accent) }
header { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: baseline;
  justify-content: space-between; margin-bottom: 1rem }
header nav { display: flex; gap: 1rem }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .6rem;
  margin: 0 0 .7rem }
.soft { color: var(--soft); font-size: .88rem }
form { display: flex; flex-wrap: wrap; gap: .5rem; margin: 0 0 1rem }
input, button { font: inherit; padding: .4rem .7rem; border: 1px solid var(--line);
  border-radius: .4rem; background: var(--card); color: inherit }
input { flex: 1 1 12rem; min-width: 0 }
button { cursor: pointer }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1rem; margin: 0;
  padding: .8rem 1rem }
dt { color: var(--soft) }
dd { margin: 0 }
@media (max-width: 32rem) { dl { grid-template-columns: 1fr } dd { margin-bottom: .5rem } }
`

export type Page = { readonly body: string; readonly headers: Readonly<Record<string, string>> }

export type PageParts = {
  title: string
  body: Markup
  style?: string
  script?: string
  /** The policy allows pictures, because the page shows mails. */
  pictures?: true
}

export function page({ title, body, style: more = '', script, pictures }: PageParts): Page {
  const content = markup`${body}
${script !== undefined && markup`<script>${trusted(script)}</script>`}`
  return {
    body: htmlPage({ title, style: style + more, body: content }),
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy(script, pictures),
    },
  }
}

function policy(script: string | undefined, pictures: true | undefined): string {
  return [
    `default-src 'none'`,
    `style-src 'unsafe-inline'`,
    ...(script === undefined ? [] : [`script-src ${hashSource(script)}`]),
    `img-src data:${pictures ? ' http: https:' : ''}`,
    `connect-src 'self'`,
    `form-action 'self'`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ')
}
