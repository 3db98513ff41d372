/** HTML for browsers: text as a template, and the frame and the headers of a page. */
import { hash } from 'node:crypto'

/**
 * HTML as a tagged template. Every value is escaped unless this tag made it. So text from
 * strangers, for example in a mail, can never become markup of our page.
 */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Value = Markup | readonly Markup[] | string | number | null | undefined | false

export function markup(strings: TemplateStringsArray, ...values: readonly Value[]): Markup {
  let text = strings[0] ?? ''
  values.forEach((value, index) => {
    text += render(value) + (strings[index + 1] ?? '')
  })
  return new Markup(text)
}

/** Includes markup from our own code, such as a style sheet, without escaping. */
export function trusted(text: string): Markup {
  return new Markup(text)
}

type Page = {
  readonly title: string
  readonly language?: string
  /** More elements of the head. */
  readonly head?: Markup
  readonly style?: string
  readonly body: Markup
}

export function htmlPage({ title, language = 'en', head, style, body }: Page): string {
  return markup`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${head}
${style !== undefined && markup`<style>${trusted(style)}</style>`}
</head>
<body>
${body}
</body>
</html>
`.text
}

/** The policy allows the style sheet of the page by its hash, what `allowed` says, and nothing else. */
export function pageHeaders(style: string, allowed = '') {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src ${hashSource(style)}; ${allowed}base-uri 'none'; frame-ancestors 'none'`,
  }
}

/** A source of a content security policy: exactly this text. */
export function hashSource(text: string): string {
  return `'sha256-${hash('sha256', text, 'base64')}'`
}

function render(value: Value): string {
  if (value === null || value === undefined || value === false) return ''
  if (value instanceof Markup) return value.text
  if (typeof value === 'object') return value.map(one => one.text).join('')
  return escape(String(value))
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, character => entities[character] ?? '')
}
