/**
 * Renders the message of one channel from a template and its data. The same template, data, locale,
 * zone and time give the same bytes. The hash of the bytes is stored with each attempt. Control
 * characters are removed here in places for plain text only (a subject, an SMS, a push message).
 */
import { hash } from 'node:crypto'
import type { Channel } from '../schemas.ts'
import { run, type Given } from './language.ts'
import { pickLocale } from './locale.ts'
import { segmentsOf, segments_max } from './sms-segments.ts'
import { limit } from '#dodeca/kernel'

/** The texts of one channel in one language. `subject` is the title of a push message or inbox item. */
export type Content = {
  readonly subject: string | null
  readonly body: string
  readonly text_body: string | null
  readonly url: string | null
}

export type ChannelTemplate = {
  readonly channel: Channel
  readonly format: 'html' | 'text'
  readonly default_locale: string
  /** The texts for each language, including the default one. */
  readonly contents: Readonly<Record<string, Content>>
}

export type RenderInput = {
  readonly data: object
  /** The wanted languages, the preferred one first. */
  readonly locales: readonly (string | null)[]
  readonly timezone: string
  readonly now: string
  readonly unsubscribe_url: string
}

export type Rendered = {
  readonly channel: Channel
  readonly locale: string
  readonly subject: string | null
  readonly html: string | null
  readonly text: string
  readonly url: string | null
}

export class RenderFailure extends Error {
  override readonly name = 'RenderFailure'
  readonly code: 'render_failed' | 'sms_too_long' | 'message_too_large'
  constructor(code: RenderFailure['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

const bytes_max = limit(
  'notifications.message_bytes',
  512 * 1024,
  'bytes',
  'Largest rendered message',
)
const subject_max = 300
/** The maximum payload of a push service, less the envelope. */
const push_bytes_max = limit(
  'notifications.push_bytes',
  3500,
  'bytes',
  'Largest rendered push message',
)

export function render(template: ChannelTemplate, input: RenderInput): Rendered {
  const { channel, format, contents, default_locale } = template
  const locale = pickLocale(Object.keys(contents), input.locales, default_locale)
  const content = contents[locale]
  if (!content) throw new RenderFailure('render_failed', `there is no text in ${locale}`)
  const { timezone, now, unsubscribe_url } = input
  const given: Given = { locale, timezone, now, unsubscribe_url }
  const liquid = (kind: 'html' | 'text', text: string) => {
    try {
      return run(kind, text, input.data, given)
    } catch (cause) {
      throw new RenderFailure('render_failed', (cause as Error).message, { cause })
    }
  }
  const is_html = channel === 'email' && format === 'html'
  const subject = content.subject === null ? null : oneLine(liquid('text', content.subject))
  const html = is_html ? liquid('html', content.body) : null
  const plain = plainText(liquid('text', is_html ? (content.text_body ?? '') : content.body))
  const url = content.url === null ? null : safeLink(liquid('text', content.url))
  const rendered = { channel, locale, subject, html, text: plain, url }
  checkFit(rendered)
  return rendered
}

/** The hash covers the text that a person reads, not the envelope of a transport. */
export function hashOf({ subject, html, text, url }: Rendered): Buffer {
  return hash('sha256', JSON.stringify([subject, html, text, url]), 'buffer')
}

function checkFit({ channel, subject, html, text, url }: Rendered): void {
  const bytes = Buffer.byteLength(html ?? '') + Buffer.byteLength(text)
  const push = channel === 'push' ? bytes + Buffer.byteLength(`${subject ?? ''}${url ?? ''}`) : 0
  if (bytes > bytes_max || push > push_bytes_max) {
    throw new RenderFailure('message_too_large', 'the message is too large for its channel')
  }
  if (channel === 'sms' && segmentsOf(text) > segments_max) {
    throw new RenderFailure('sms_too_long', `an SMS has at most ${segments_max} parts`)
  }
}

/** Most texts need no replacement or composition. This check costs a tenth of doing both. */
const simple = /^[\n\t\u0020-\u007e]*$/
const simple_line = /^[\u0020-\u007e]{0,300}$/

/** A line break in a subject would begin another header. */
function oneLine(text: string): string {
  if (simple_line.test(text)) return text.trim()
  const line = text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .normalize('NFC')
  return Array.from(line).slice(0, subject_max).join('')
}

function plainText(text: string): string {
  if (simple.test(text)) return text
  return text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, '')
    .normalize('NFC')
}

/** A path of the platform, or an absolute URL. Anything else is dropped. */
function safeLink(text: string): string | null {
  const link = text.trim()
  if (/^\/(?![/\\])[^\s\p{Cc}]{0,2000}$/u.test(link)) return link
  return /^https?:\/\//i.test(link) && URL.canParse(link) ? new URL(link).href : null
}
