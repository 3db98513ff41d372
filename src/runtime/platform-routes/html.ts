/** The pages of the platform's own routes: one style sheet, light and dark, without a script. */
import { htmlPage, markup, pageHeaders, reply, type Markup } from '#dodeca/kernel'

const style = `:root{color-scheme:light dark}
body{font:16px/1.5 system-ui;margin:1.5rem auto;max-width:44rem;padding:0 1rem;overflow-wrap:anywhere;
  color:light-dark(#1c2026,#e4e7ec);background:light-dark(#fff,#131619)}
a{color:light-dark(#1a56b0,#8ab4ff)}
h1{font-size:1.4rem;line-height:1.25}h2{font-size:1.1rem;margin:1.5rem 0 .25rem}dt{margin-top:1rem;font-weight:600}dd{margin:0}
pre{overflow-x:auto;padding:.75rem;border:1px solid #8886;border-radius:.25rem;font-size:.875rem}`

const headers = pageHeaders(style)

export function wantsHtml(accept: string | string[] | undefined): boolean {
  return typeof accept === 'string' && accept.includes('text/html')
}

export function html(title: string, body: Markup) {
  return reply(200, htmlPage({ title, style, body: markup`<main>${body}</main>` }), headers)
}
