/**
 * Which JSON Schemas are accepted from people: 2020-12, of bounded size, complete in themselves, and without
 * repetition inside repetition in a pattern. What passes here runs on every value; alternatives that overlap
 * can still make a pattern slow, so values are bounded too.
 */
import safeRegex from 'safe-regex2'
import { problem } from '../errors/problem.ts'
import { escapePointer } from '../http/content.ts'
import { compileFit } from './fit.ts'

const draft = 'https://json-schema.org/draft/2020-12/schema'

export function demandSchema(schema: object, member: string, bytes_max: number): void {
  if (Buffer.byteLength(JSON.stringify(schema)) > bytes_max) {
    throw refusal(`/${member}`, 'maxBytes')
  }
  walk(schema, `/${member}`)
  try {
    compileFit(schema)
  } catch (error) {
    throw problem(
      'schema_invalid',
      { errors: [{ location: 'body', pointer: `/${member}`, constraint: 'schema' }] },
      { cause: error },
    )
  }
}

/** Every member of that name counts as the keyword, also where it is only a property: that is harmless. */
function walk(value: unknown, pointer: string): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value) as [string, unknown][]) {
    const here = `${pointer}/${escapePointer(name)}`
    if (name === 'pattern') demandSafe(member, here)
    if (name === 'patternProperties' && typeof member === 'object' && member !== null) {
      for (const pattern of Object.keys(member)) demandSafe(pattern, here)
    }
    if (typeof member === 'string' && !isAllowed(name, member)) throw refusal(here, name)
    // An asynchronous schema would answer a promise, which counts as a yes.
    if (name === '$async' || name === '$data') throw refusal(here, name)
    walk(member, here)
  }
}

function isAllowed(keyword: string, value: string): boolean {
  if (keyword === '$ref' || keyword === '$dynamicRef') return value.startsWith('#')
  if (keyword === '$schema') return value.replace(/#$/, '') === draft
  return keyword !== '$id' && keyword !== '$vocabulary'
}

function demandSafe(pattern: unknown, pointer: string): void {
  if (typeof pattern === 'string' && !safeRegex(pattern)) throw refusal(pointer, 'safe_pattern')
}

function refusal(pointer: string, constraint: string) {
  return problem('schema_invalid', { errors: [{ location: 'body', pointer, constraint }] })
}
