/**
 * Turns the bytes of a JSON body into a safe value: valid UTF-8, bounded nesting, no member that
 * could reach a prototype, no text that PostgreSQL cannot store, no number that lost digits.
 */
import { isUtf8 } from 'node:buffer'
import { problem } from '../errors/problem.ts'
import { jsonFault } from './json-fault.ts'

const depth_max = 32

export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes))
    throw problem('malformed_json', { detail: 'The body is not UTF-8. Encode it as UTF-8.' })
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw problem('malformed_json', { detail: jsonFault(bytes.toString('utf8')) })
  }
  inspect(value, 'body', '', 0)
  return value
}

/** Query and path values are text and need the same check of their characters. */
export function inspect(
  value: unknown,
  location: 'body' | 'query' | 'path',
  pointer: string,
  depth: number,
): void {
  if (typeof value === 'string') {
    if (!isStorable(value)) throw invalidCharacter(location, pointer)
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
      throw problem('validation_failed', {
        errors: [{ location, pointer, constraint: 'safe_number' }],
      })
    }
  } else if (typeof value === 'object' && value !== null) {
    if (depth >= depth_max) {
      throw problem('malformed_request', { detail: `The body is nested deeper than ${depth_max}.` })
    }
    inspectMembers(value, location, pointer, depth)
  }
}

function inspectMembers(
  value: object,
  location: 'body' | 'query' | 'path',
  pointer: string,
  depth: number,
): void {
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) inspect(value[i], location, `${pointer}/${i}`, depth + 1)
    return
  }
  for (const [name, member] of Object.entries(value)) {
    if (name === '__proto__' || name === 'constructor') {
      throw problem('malformed_request', {
        detail:
          'The names `__proto__` and `constructor` are not allowed for members. Rename the member.',
      })
    }
    if (!isStorable(name)) throw invalidCharacter(location, pointer)
    inspect(member, location, `${pointer}/${escapePointer(name)}`, depth + 1)
  }
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

function invalidCharacter(location: 'body' | 'query' | 'path', pointer: string) {
  return problem('invalid_character', {
    errors: [{ location, pointer, constraint: 'character' }],
  })
}

/** RFC 6901. */
export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
