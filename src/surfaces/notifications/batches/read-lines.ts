/**
 * Reads the body of a batch: JSON with up to a thousand recipients, or NDJSON with the header in
 * the first line and one recipient in each further line. Lines are parsed as they arrive. An
 * invalid line is rejected with its number, and the others continue.
 */
import { Compile } from 'typebox/compile'
import { batch_members_max, boundsOf, limit, parseJson, Problem, sentenceOf } from '#dodeca/kernel'
import type { FieldError } from '#dodeca/kernel'
import { parseEmail, parsePhone, type Address } from '../addresses.ts'
import { problem } from '../errors.ts'
import type { Data, Recipient } from '../schemas.ts'
import { BatchHeader, BatchLine, JsonBatch, json_recipients_max } from './schemas.ts'

export type Line = {
  readonly line: number
  readonly recipient: Recipient
  /** The value of a recipient that is given by address. */
  readonly address: Address | null
  readonly data: Data | null
  readonly locale: string | null
  readonly dedupe_key: string | null
}

export type ReadLine = Line | { readonly line: number; readonly code: string }

const headers = Compile(BatchHeader)
const lines = Compile(BatchLine)
const whole = Compile(JsonBatch)
const line_bytes_max = limit(
  'notifications.batch_line_bytes',
  128 * 1024,
  'bytes',
  'Longest line of a batch',
)
const pointer_max = 80
const newline = 10

export function readHeader(value: unknown): BatchHeader {
  if (headers.Check(value)) return value
  const error = errorOf(headers.Errors(value)[0])
  const sentence = sentenceOf(error) ?? ''
  throw problem('validation_failed', {
    detail:
      `The header has the category, the template and what all recipients share. ${sentence}`.trim(),
    errors: [error],
  })
}

type Fault = ReturnType<typeof headers.Errors>[number]

function errorOf(fault: Fault | undefined): FieldError {
  if (!fault) return { location: 'body', pointer: '', constraint: 'type' }
  const at = fault.instancePath.slice(0, pointer_max)
  // Of a member that is not in the schema.
  if (fault.keyword === 'boolean') {
    return { location: 'body', pointer: at, constraint: 'unknown', params: {} }
  }
  const missing = fault.keyword === 'required' ? `/${fault.params.requiredProperties[0]}` : ''
  const pointer = `${at}${missing}`
  return { location: 'body', pointer, constraint: fault.keyword, ...boundsOf(fault) }
}

export function readJsonBatch(bytes: Buffer): { header: BatchHeader; lines: ReadLine[] } {
  const value = parseJson(bytes, batch_members_max)
  if (!whole.Check(value)) {
    const recipients = (value as { recipients?: unknown } | null)?.recipients
    if (Array.isArray(recipients) && recipients.length > json_recipients_max) {
      throw problem('too_many_recipients', {
        detail: `Send more than ${json_recipients_max} recipients as application/x-ndjson.`,
      })
    }
    throw problem('validation_failed', { errors: [errorOf(whole.Errors(value)[0])] })
  }
  const { recipients, ...header } = value
  return {
    header: readHeader(header),
    lines: recipients.map((one, index) => readLine(one, index + 1)),
  }
}

/**
 * The lines of a body as it arrives. Each is a value, or undefined if it is not JSON. Empty lines are
 * counted and left out, so that a number is the line of the file.
 */
export async function* ndjson(
  body: AsyncIterable<Buffer>,
): AsyncGenerator<{ line: number; value: unknown }, void> {
  let rest: Buffer = Buffer.alloc(0)
  let line = 0
  for await (const chunk of body) {
    let from = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      const piece = chunk.subarray(from, end)
      const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece])
      rest = Buffer.alloc(0)
      from = end + 1
      line++
      if (bytes.length > 0 && bytes.toString('latin1').trim() !== '') {
        yield { line, value: valueOf(bytes) }
      }
    }
    const left = chunk.subarray(from)
    rest = rest.length === 0 ? Buffer.from(left) : Buffer.concat([rest, left])
    if (rest.length > line_bytes_max) throw problem('content_too_large')
  }
  if (rest.toString('latin1').trim() !== '') yield { line: ++line, value: valueOf(rest) }
}

function valueOf(bytes: Buffer): unknown {
  if (bytes.length > line_bytes_max) return undefined
  try {
    return parseJson(bytes)
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

export function readLine(value: unknown, line: number): ReadLine {
  if (!lines.Check(value)) return { line, code: 'validation_failed' }
  const { recipient, data = null, locale = null, dedupe_key = null } = value
  const { user_id, destination_id, email, phone } = recipient
  const named = [user_id, destination_id, email, phone].filter(one => one !== undefined)
  if (named.length !== 1) return { line, code: 'validation_failed' }
  const by_phone = phone === undefined ? null : parsePhone(phone)
  const address = email === undefined ? by_phone : parseEmail(email)
  if (!address && user_id === undefined && destination_id === undefined) {
    return { line, code: 'invalid_destination' }
  }
  return { line, recipient, address, data, locale, dedupe_key }
}
