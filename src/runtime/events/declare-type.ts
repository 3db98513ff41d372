/**
 * Declares an event type or changes it. A changed schema is a new version of the type; events that
 * were published before keep theirs. A type that was archived can be published again.
 */
import { Type } from 'typebox'
import { compileSchema, nounOf, Refused, requireConditions, sql } from '#dodeca/kernel'
import type { Conditions, Kernel, Tx } from '#dodeca/kernel'
import { OwnEventType, own_type_columns } from '../../kernel/events/event-types.ts'
import { problem } from './errors.ts'
import type { PutEventType } from './schemas.ts'

export type TypeDeps = {
  readonly kernel: Pick<Kernel, 'declared' | 'settings' | 'counted'>
  /** The types in code, and the nouns that no type over HTTP may begin with. */
  readonly code: { has(type: string): boolean }
  readonly nouns: ReadonlySet<string>
}

export async function declareType(
  tx: Tx,
  { kernel, code, nouns }: TypeDeps,
  type: string,
  { description, schema }: PutEventType,
  conditions: Conditions,
): Promise<{ readonly row: OwnEventType; readonly made: boolean }> {
  if (code.has(type)) throw problem('event_type_declared')
  if (nouns.has(nounOf(type))) throw problem('event_type_reserved')
  await requireSchema(schema, kernel.settings['kernel.event_schema_bytes'])
  const before = await holdType(tx, type)
  requireConditions(conditions, before?.version ?? null)
  if (!before) {
    const most = kernel.settings['kernel.event_types_most']
    await kernel.counted(tx, 'kernel.event_types', most, sql`select from kernel.event_types`)
  }
  const given = sql.json(schema)
  const changed = await tx.maybe(
    OwnEventType,
    sql`
      insert into kernel.event_types as t (type, description, schema)
      values (${type}, ${description}, ${given})
      on conflict (type) do update set description = excluded.description,
        schema = excluded.schema, version = t.version + 1, archived_at = null,
        schema_version = t.schema_version + (t.schema <> excluded.schema)::int,
        updated_at = kernel.now()
      where (t.description, t.schema) <> (excluded.description, excluded.schema)
        or t.archived_at is not null
      returning ${own_type_columns}`,
  )
  if (changed) tx.audit('kernel.event_types.write', `event_type:${type}`)
  return { row: changed ?? (await findOwn(tx, type)), made: !before }
}

/** Its events stay readable, and filters that name it stay valid. */
export async function archiveType(
  tx: Tx,
  code: TypeDeps['code'],
  type: string,
  conditions: Conditions,
): Promise<void> {
  if (code.has(type)) throw problem('event_type_declared')
  const before = await holdType(tx, type)
  if (!before) throw problem('event_type_not_found')
  requireConditions(conditions, before.version)
  const archived = await tx.run(sql`
    update kernel.event_types
    set archived_at = kernel.now(), version = version + 1, updated_at = kernel.now()
    where type = ${type} and archived_at is null`)
  if (archived === 1) tx.audit('kernel.event_types.archive', `event_type:${type}`)
}

async function requireSchema(schema: object, bytes_max: number): Promise<void> {
  const bytes = Buffer.byteLength(JSON.stringify(schema))
  if (bytes > bytes_max) throw refusal('', `A schema has at most ${bytes_max} bytes.`)
  try {
    await compileSchema(schema)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    throw refusal(error.pointer ?? '', error.message)
  }
}

function refusal(pointer: string, detail: string) {
  const errors = [{ location: 'body', pointer: `/schema${pointer}`, constraint: 'schema' }] as const
  return problem('event_schema_invalid', { detail, errors })
}

const Held = Type.Object({ version: Type.Integer() })

/** Of two requests that declare a name at once, the second sees the row of the first. */
async function holdType(tx: Tx, type: string) {
  await tx.run(sql`
    select pg_advisory_xact_lock(hashtext('kernel.event_types'), hashtext(${type}))`)
  return await tx.maybe(
    Held,
    sql`select version from kernel.event_types where type = ${type} for update`,
  )
}

async function findOwn(tx: Tx, type: string): Promise<OwnEventType> {
  return await tx.one(
    OwnEventType,
    sql`select ${own_type_columns} from kernel.event_types where type = ${type}`,
  )
}
