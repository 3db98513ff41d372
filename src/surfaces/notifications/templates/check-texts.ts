/**
 * Refuses texts of a template that have syntax errors. Also refuses HTML that inserts data where
 * escaping does not protect: in an attribute without quotes, a URL without `safe_url`, or a script.
 */
import { problem } from '../errors.ts'
import { parse, type Kind } from './language.ts'

type Place = { readonly pointer: string; readonly kind: Kind; readonly text: string }

const refusals: readonly {
  readonly constraint: string
  readonly found: RegExp
  readonly says: string
}[] = [
  {
    constraint: 'no_script',
    found: /<\s*(script|iframe|object|embed|base|meta\s+http-equiv)\b/i,
    says: 'A mail runs no scripts and holds no frames: remove that element.',
  },
  {
    constraint: 'no_event_handler',
    found: /<[^>]*\son[a-z]+\s*=/i,
    says: 'A mail runs no scripts: remove the on… attribute.',
  },
  {
    constraint: 'quoted_attribute',
    found: /<[^>]*=\s*\{\{/,
    says: 'Write quotes around an attribute that holds data: title="{{ name }}".',
  },
  {
    constraint: 'safe_url',
    found: /\b(href|src)\s*=\s*["']\s*\{\{(?![^}]*\|\s*safe_url\s*\}\})/i,
    says: 'An address that begins with data ends with the filter safe_url: href="{{ link | safe_url }}".',
  },
]

export function checkTexts(places: readonly Place[]): void {
  for (const { pointer, kind, text } of places) {
    const refusal = kind === 'html' ? refusals.find(one => one.found.test(text)) : undefined
    if (refusal) {
      throw problem('template_syntax_error', {
        detail: refusal.says,
        errors: [{ location: 'body', pointer, constraint: refusal.constraint }],
      })
    }
    checkParsed(pointer, kind, text)
  }
}

function checkParsed(pointer: string, kind: Kind, text: string): void {
  try {
    parse(kind, text)
  } catch (error) {
    const { message } = error as Error
    const [, line = '1', column = '1'] = /line:(\d+), col:(\d+)/.exec(message) ?? []
    throw problem('template_syntax_error', {
      detail: message.split('\n')[0] ?? 'The template has a syntax error.',
      errors: [
        {
          location: 'body',
          pointer,
          constraint: 'liquid',
          params: { line: Number(line), column: Number(column) },
        },
      ],
    })
  }
}
