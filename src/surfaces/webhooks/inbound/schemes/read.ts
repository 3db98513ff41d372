/**
 * Functions with which schemes read headers and bodies. A function returns null if the input is not
 * valid. It never throws.
 */
import { createHash } from 'node:crypto'
import type { MessageHeaders } from '#dodeca/kernel'
import type { Envelope } from './scheme.ts'

const id_max = 400
const type_max = 200

export type Members = Readonly<Record<string, unknown>>

/**
 * Reads a header that must occur once. Repeated headers are joined by a comma, and no valid id
 * contains a comma.
 */
export function headerOf(headers: MessageHeaders, name: string): string | null {
  const value = headers[name]
  return typeof value === 'string' ? value : null
}

export function jsonOf(body: Buffer): Members | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    // A JSON object. Its properties are unknown until they are read.
    return typeof value === 'object' && value !== null ? (value as Members) : null
  } catch {
    return null
  }
}

/**
 * Reads a JSON object too, but each number keeps its original text. Otherwise two ids above 2^53
 * could become the same number, and the second message would be dropped as a duplicate of the
 * first.
 */
export function writtenIn(body: Buffer): unknown {
  const exact = (_name: string, value: unknown, { source }: { source: string }) =>
    typeof value === 'number' ? source : value
  try {
    // JavaScript passes the text of a number as a third argument, but its TypeScript types do not
    // declare it yet.
    return JSON.parse(body.toString('utf8'), exact as (name: string, value: unknown) => unknown)
  } catch {
    return null
  }
}

/** Null if there is no id. */
export function envelopeOf(id: unknown, type: unknown): Envelope | null {
  const event_id = idOf(id)
  return event_id === null ? null : { event_id, type: typeOf(type) }
}

export function formOf(body: Buffer): URLSearchParams {
  return new URLSearchParams(body.toString('utf8'))
}

/** Reads an id from a body: any text that can be stored. */
export function isText(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length > 0 &&
    value.length <= id_max &&
    value.isWellFormed() &&
    !/\p{Cc}/u.test(value)
  )
}

/** Reads an id that can be stored and shown: visible characters, no comma. */
function idOf(value: unknown): string | null {
  return typeof value === 'string' &&
    value.length <= id_max &&
    /^[\x21-\x2b\x2d-\x7e]+$/.test(value)
    ? value
    : null
}

export function typeOf(value: unknown): string | null {
  return typeof value === 'string' && value.length <= type_max && /^[\x20-\x7e]+$/.test(value)
    ? value
    : null
}

/** Makes an id for a message to which the provider gave no id. */
export function hashOf(...parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return `sha256:${hash.digest('hex')}`
}
