/**
 * The HTML frame of the account pages: light and dark, readable on a phone, and free of scripts,
 * except for the one that uses passkeys and solves captchas. The content security policy allows only this style sheet
 * and that script, by their hashes. The referrer policy sends
 * only the origin of the page, because the full address may contain a token. The origin is needed:
 * some browsers send no fetch metadata, and for them only the origin shows that a form is ours.
 */
import {
  hashSource,
  htmlPage,
  lookLogo,
  lookStyle,
  markup,
  pageHeaders,
  trusted,
  type Look,
  type Markup,
} from '#dodeca/kernel'
import { languages, type Language } from './language.ts'
import { captcha_script } from './captcha.ts'
import { script as passkey_script } from './passkey-form.ts'

const script = passkey_script + captcha_script

const style = `
:root { color-scheme: light dark; --ink: light-dark(#1c2026, #e6e9ee);
  --soft: light-dark(#4d5562, #a6afbc); --line: light-dark(#c5cad2, #4a515c);
  --card: light-dark(#fff, #1b1e23); --back: light-dark(#f1f3f5, #121417);
  --accent: light-dark(#1a56b0, #8ab4ff); --on-accent: light-dark(#fff, #10131a);
  --bad: light-dark(#a31515, #ff9d94); --good: light-dark(#1b6e3c, #7fd6a0) }
* { box-sizing: border-box }
html { background: var(--page, var(--back)) }
body { margin: 0 auto; max-width: 36rem; padding: 1.5rem 1rem; color: var(--ink);
  font: 1.05rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere }
main { padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: .8rem }
h1 { margin: 0 0 1rem; font-size: 1.45rem; line-height: 1.25 }
h2 { margin: 2rem 0 .6rem; font-size: 1.15rem }
p, form { margin: 0 0 1rem }
li form { margin: 0 }
a { color: var(--accent) }
label { display: block; font-weight: 600; margin-bottom: .25rem }
input, select { width: 100%; font: inherit; padding: .55rem .7rem; color: inherit;
  background: var(--back); border: 1px solid var(--soft); border-radius: .4rem }
input[type=checkbox] { width: auto }
summary { cursor: pointer; margin-bottom: 1rem }
input[aria-invalid] { border: 2px solid var(--bad) }
.field { margin-bottom: 1.2rem }
.field p { margin: .5rem 0 0; font-size: .95rem }
.soft { color: var(--soft) }
.error { color: var(--bad); font-weight: 600 }
.notice { padding: .7rem 1rem; border-left: .3rem solid var(--good); background: var(--back) }
.alert { padding: .7rem 1rem; border-left: .3rem solid var(--bad); background: var(--back) }
button, a.button { font: inherit; font-weight: 600; padding: .6rem 1.2rem; border-radius: .5rem;
  border: 2px solid var(--brand, var(--accent)); background: var(--brand, var(--accent));
  color: var(--on-brand, var(--on-accent)); cursor: pointer }
button.plain, a.button { border-color: var(--accent); background: transparent; color: var(--accent) }
a.button { display: inline-block; text-decoration: none }
button + button { margin-top: .6rem }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px }
ul.rows { list-style: none; margin: 0 0 1rem; padding: 0 }
ul.rows > li { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center;
  justify-content: space-between; padding: .7rem 0; border-bottom: 1px solid var(--line) }
ul.rows p { margin: 0 }
.codes { columns: 2; padding: 0; list-style: none; font: 1.1rem/1.9 ui-monospace, monospace }
.qr { display: block; width: 14rem; max-width: 100%; background: #fff; margin-bottom: 1rem }
code { font-family: ui-monospace, monospace }
footer { display: flex; justify-content: space-between; padding: 1rem 0; font-size: .95rem }
footer a { color: var(--on-page, var(--accent)) }
.logo img { display: block; max-width: 100%; max-height: 5rem }
@media (max-width: 30rem) { main { padding: 1.3rem } form > button, a.button { width: 100%; text-align: center } }
`

/** A browser checks where a form leads, also by a redirect: `leads_to` is allowed besides. */
export function pageHeadersFor({ scripted, look, leads_to }: Headed) {
  const scripts = scripted ? `script-src ${hashSource(script)}; ` : ''
  const pictures = look?.logo === undefined ? '' : 'img-src data:; '
  const forms = `form-action 'self'${leads_to === undefined ? '' : ` ${leads_to}`}; `
  return {
    ...pageHeaders(styleFor(look), scripts + pictures + forms),
    'x-robots-tag': 'noindex',
  }
}

function styleFor(look: Look | null): string {
  return style + (look ? lookStyle(look) : '')
}

type Headed = {
  readonly scripted: boolean
  readonly look: Look | null
  readonly leads_to?: string | undefined
}

export type Framed = {
  readonly language: Language
  readonly title: string
  /** True if the page shows an error. */
  readonly failed: boolean
  readonly scripted: boolean
  readonly look: Look | null
  readonly body: Markup
  /** The URL of the page, used to show the page in the other language. */
  readonly place: { readonly path: string; readonly query: Readonly<Record<string, string>> }
}

export function frame({ language, title, failed, scripted, look, body, place }: Framed): string {
  const words = languages[language]
  const other = language === 'en' ? 'de' : 'en'
  const query = new URLSearchParams({ ...place.query, lang: other })
  const page = markup`<main>
${look && lookLogo(look)}<h1>${title}</h1>
${body}
</main>
<footer>
<a href="/account/">${words.home}</a>
<a href="${place.path}?${query.toString()}" lang="${other}" hreflang="${other}">${languages[other].name}</a>
</footer>${scripted && markup`<script>${trusted(script)}</script>`}`
  return htmlPage({
    language,
    title: failed ? `${words.error}: ${title}` : title,
    head: markup`<meta name="referrer" content="strict-origin">`,
    style: styleFor(look),
    body: page,
  })
}
