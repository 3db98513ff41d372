/**
 * Turns the bytes of a JSON body into a safe value. It requires valid UTF-8, and limits nesting and
 * the number of members. It refuses properties that could reach a prototype, text that PostgreSQL
 * cannot store, and numbers that lost digits.
 */
import { isUtf8 } from 'node:buffer'
import { problem } from '../../errors/problem.ts'
import { jsonFault } from './json-fault.ts'
import { limit } from '../../limits.ts'

const depth_max = limit('kernel.body_depth', 32, 'levels', 'Deepest nesting of a JSON body')

/**
 * Parsing and checking a body block the event loop: 36 ms for 20,000 members with different names,
 * 137 ms for the 80,000 of a body of 1.2 MB.
 */
export const usual_members_max = limit(
  'kernel.body_members',
  5_000,
  'members',
  'Most members of a JSON body, where the route does not say otherwise',
)
/** For operations whose bodies are lists of objects. */
export const batch_members_max = limit(
  'kernel.batch_members',
  20_000,
  'members',
  'Most members of a JSON body that is a list of objects',
)

export function parseJson(bytes: Buffer, members_max = usual_members_max): unknown {
  if (!isUtf8(bytes))
    throw problem('malformed_json', { detail: 'The body is not UTF-8. Encode it as UTF-8.' })
  if (hasMoreMembers(bytes, members_max)) {
    const detail = `The body may have at most ${members_max} members, in all objects together. Split it.`
    throw problem('content_too_large', { detail })
  }
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw problem('malformed_json', { detail: jsonFault(bytes.toString('utf8')) })
  }
  inspect(value, 'body')
  return value
}

const colon = 0x3a
const quote = 0x22
const backslash = 0x5c
/** The shortest member: `"":1,`. */
const member_bytes_min = 5

/** Counts colons: first all of them, which is fast, then those outside of texts. */
function hasMoreMembers(bytes: Buffer, max: number): boolean {
  if (bytes.length < member_bytes_min * max) return false
  let colons = 0
  let found = bytes.indexOf(colon)
  while (found !== -1 && ++colons <= max) found = bytes.indexOf(colon, found + 1)
  if (colons <= max) return false
  let members = 0
  let in_text = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) in_text = !in_text
    else if (in_text && byte === backslash) at++
    else if (!in_text && byte === colon && ++members > max) return true
  }
  return false
}

type Location = 'body' | 'query' | 'path'

/**
 * Query and path values are text, and their characters need the same check. If a check fails, a
 * second pass finds the place. Recording the place of each value would cost more than the check.
 */
export function inspect(value: unknown, location: Location): void {
  if (!isFine(value, 0)) refuse(value, location, '', 0)
}

/** Whether all texts and numbers of a value can be stored. */
export function canBeStored(value: unknown): boolean {
  return isFine(value, 0)
}

function isFine(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return isStorable(value)
  if (typeof value === 'number') return isExact(value)
  if (typeof value !== 'object' || value === null) return true
  if (depth >= depth_max) return false
  if (Array.isArray(value)) return value.every(one => isFine(one, depth + 1))
  for (const name of Object.keys(value)) {
    if (isReserved(name) || !isStorable(name)) return false
    if (!isFine((value as Record<string, unknown>)[name], depth + 1)) return false
  }
  return true
}

function refuse(value: unknown, location: Location, pointer: string, depth: number): void {
  if (typeof value === 'string' && !isStorable(value)) throw invalidCharacter(location, pointer)
  if (typeof value === 'number' && !isExact(value)) {
    const errors = [{ location, pointer, constraint: 'safe_number' }]
    throw problem('validation_failed', { errors })
  }
  if (typeof value !== 'object' || value === null) return
  if (depth >= depth_max) {
    throw problem('malformed_request', { detail: `The body is nested deeper than ${depth_max}.` })
  }
  for (const [name, member] of Object.entries(value)) {
    if (isReserved(name) && !Array.isArray(value)) {
      throw problem('malformed_request', {
        detail:
          'The names `__proto__` and `constructor` are not allowed for members. Rename the member.',
      })
    }
    if (!isStorable(name)) throw invalidCharacter(location, pointer)
    refuse(member, location, `${pointer}/${escapePointer(name)}`, depth + 1)
  }
}

function isReserved(name: string): boolean {
  return name === '__proto__' || name === 'constructor'
}

function isExact(number: number): boolean {
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number))
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

function invalidCharacter(location: Location, pointer: string) {
  return problem('invalid_character', {
    errors: [{ location, pointer, constraint: 'character' }],
  })
}

/** Escapes a property name for a JSON Pointer (RFC 6901). */
export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
