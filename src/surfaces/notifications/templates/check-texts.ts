/**
 * Refuses texts of a template that have syntax errors or unsafe HTML, or that would take long to
 * parse.
 */
import { problem } from '../errors.ts'
import { faultOf } from './check-html.ts'
import { parse, type Kind } from './language.ts'
import type { NewTemplate } from './schemas.ts'
import { limit } from '#dodeca/kernel'

type Place = { readonly pointer: string; readonly kind: Kind; readonly text: string }

/**
 * Most tags (`<`, `{{` and `{%`) of one text, and of all texts of a template. 8,000 are parsed in
 * about 20 ms; the time of 20,000 is 25 times as long, because Liquid shifts its list of tokens.
 */
const text_marks_max = limit(
  'notifications.template_text_tags',
  8000,
  'tags',
  'Most tags of one text of a template',
)
const template_marks_max = limit(
  'notifications.template_tags',
  40_000,
  'tags',
  'Most tags of all texts of a template',
)

export function checkSize({ channels, locales = {} }: NewTemplate): void {
  const texts = [channels, ...Object.values(locales)]
    .flatMap(texts_of => Object.values(texts_of))
    .flatMap(content => Object.values(content))
  const marks = texts.reduce((sum, text) => sum + countMarks(text), 0)
  if (marks > template_marks_max) throw tooManyMarks('', template_marks_max)
}

export function checkTexts(places: readonly Place[]): void {
  for (const { pointer, kind, text } of places) {
    if (countMarks(text) > text_marks_max) throw tooManyMarks(pointer, text_marks_max)
    checkParsed(pointer, kind, text)
    const fault = kind === 'html' ? faultOf(text) : null
    if (fault) {
      throw problem('template_syntax_error', {
        detail: fault.says,
        errors: [{ location: 'body', pointer, constraint: fault.constraint }],
      })
    }
  }
}

function countMarks(text: string): number {
  return text.match(/<|\{[{%]/g)?.length ?? 0
}

function tooManyMarks(pointer: string, limit: number) {
  return problem('template_syntax_error', {
    detail: `The texts have more than ${limit} tags. Write a shorter template.`,
    errors: [{ location: 'body', pointer, constraint: 'marks', params: { limit } }],
  })
}

const too_deep = 'The tags are nested too deep. Write a template with fewer tags inside each other.'

function checkParsed(pointer: string, kind: Kind, text: string): void {
  try {
    parse(kind, text)
  } catch (error) {
    const { message: said, originalError } = error as Error & { originalError?: unknown }
    const message = originalError instanceof RangeError ? too_deep : said
    const [, line = '1', column = '1'] = /line:(\d+), col:(\d+)/.exec(said) ?? []
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
