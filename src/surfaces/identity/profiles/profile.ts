/**
 * The profile of a person, which the person writes, and metadata, which administrators write. A
 * profile is checked as a whole against the schema of the account's home, each time that it is
 * written: after a change of the schema, what is stored stays as it is until then.
 */
import { createHash } from 'node:crypto'
import { Type, type Static } from 'typebox'
import {
  boundedCache,
  compileSchema,
  limit,
  map,
  nullable,
  Refused,
  sql,
  text,
} from '#dodeca/kernel'
import type { Fit, Reader } from '#dodeca/kernel'
import { problem } from '../errors.ts'

const bytes_max = limit(
  'identity.profile_bytes',
  16 * 1024,
  'bytes',
  'Largest profile of an account, and largest metadata',
)
const schema_bytes_max = limit(
  'identity.profile_schema_bytes',
  16 * 1024,
  'bytes',
  'Largest schema of profiles',
)

export const Fields = map(text(100), Type.Unknown(), 100)
export type Fields = Static<typeof Fields>
export const ProfileSchema = Type.Record(Type.String(), Type.Unknown())

/** Requests with a profile and a schema are longer than others of identity. */
export const profile_body_bytes = 48 * 1024

/** A JSON merge patch (RFC 7396): members that are null are removed. */
export function merged(before: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const old = isObject(before) ? before : {}
  const kept = Object.entries(old).filter(([name]) => !Object.hasOwn(patch, name))
  const given = Object.entries(patch)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => [name, merged(Object.hasOwn(old, name) ? old[name] : {}, value)])
  return Object.fromEntries([...kept, ...given])
}

/** The fields after a change; null removes all. */
export function changed(before: Fields, patch: Fields | null, member: string): Fields {
  const fields = patch === null ? {} : (merged(before, patch) as Fields)
  if (Buffer.byteLength(JSON.stringify(fields)) > bytes_max) throw unfit(member, 'maxBytes')
  return fields
}

const Declared = Type.Object({ profile_schema: nullable(ProfileSchema) })

/** Throws unless the profile matches the schema of the tenant. Without a schema there are no fields. */
export async function requireProfile(
  reader: Reader,
  tenant_id: string,
  profile: Fields,
): Promise<void> {
  const { profile_schema } = await reader.one(
    Declared,
    sql`select profile_schema from identity.tenants where id = ${tenant_id}`,
  )
  if (Object.keys(profile).length === 0) return
  if (profile_schema === null) {
    throw unfit(
      '/profile',
      'undeclared',
      'The home tenant of the account has declared no fields of profiles (`profile_schema`).',
    )
  }
  const fit = await fitOf(profile_schema)
  const errors = await fit(profile, '/profile')
  if (errors.length > 0) throw problem('validation_failed', { errors })
}

const fits = boundedCache<Promise<Fit>>(200)

/** Found by the text of the schema: the same row is read again and again. */
function fitOf(schema: object): Promise<Fit> {
  const key = createHash('sha256').update(JSON.stringify(schema)).digest('base64')
  const known = fits.get(key)
  if (known) return known
  const fit = compileSchema(schema)
  fits.set(key, fit)
  // The next request tries again.
  fit.catch(() => fits.delete(key))
  return fit
}

/** Throws unless the schema describes an object, and can be checked in bounded time. */
export async function requireProfileSchema(schema: Record<string, unknown>): Promise<void> {
  const member = '/profile_schema'
  if (Buffer.byteLength(JSON.stringify(schema)) > schema_bytes_max) {
    throw unfit(member, 'maxBytes', `A schema has at most ${schema_bytes_max} bytes.`)
  }
  if (schema['type'] !== 'object') {
    throw unfit(`${member}/type`, 'const', 'A profile is an object: set `type` to `object`.')
  }
  try {
    await compileSchema(schema)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    throw unfit(member + error.pointer, 'schema', error.message)
  }
}

export function unfit(pointer: string, constraint: string, detail?: string) {
  const errors = [{ location: 'body' as const, pointer, constraint }]
  return problem('validation_failed', { errors, ...(detail ? { detail } : {}) })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
