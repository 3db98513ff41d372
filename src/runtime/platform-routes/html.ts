/** The pages of the platform's own routes: one style sheet, light and dark, without a script. */
import { createHash } from 'node:crypto'
import { markup, trusted, type Markup } from '../../kernel/http/markup.ts'
import { reply } from '../../kernel/http/route.ts'

const style = `:root{color-scheme:light dark}
body{font:16px/1.5 system-ui;margin:1.5rem auto;max-width:44rem;padding:0 1rem;overflow-wrap:anywhere;
  color:light-dark(#1c2026,#e4e7ec);background:light-dark(#fff,#131619)}
a{color:light-dark(#1a56b0,#8ab4ff)}
h1{font-size:1.4rem;line-height:1.25}h2{font-size:1.1rem;margin:1.5rem 0 .25rem}dt{margin-top:1rem;font-weight:600}dd{margin:0}
pre{overflow-x:auto;padding:.75rem;border:1px solid #8886;border-radius:.25rem;font-size:.875rem}`

const style_hash = createHash('sha256').update(style).digest('base64')

export function wantsHtml(accept: string | string[] | undefined): boolean {
  return typeof accept === 'string' && accept.includes('text/html')
}

export function html(title: string, body: Markup) {
  const page = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${trusted(style)}</style>
</head>
<body><main>${body}</main></body>
</html>
`.text
  return reply(200, page, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'sha256-${style_hash}'; base-uri 'none'; frame-ancestors 'none'`,
  })
}
