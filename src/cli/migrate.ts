/** Applies all pending migrations, or lists them. */
import { Type } from 'typebox'
import {
  type Migration,
  migrate,
  nameOf,
  pendingMigrations,
  readMigrations,
} from '../kernel/database/migrate.ts'
import { sql } from '#dodeca/kernel'
import type { Call, Command } from './command.ts'
import { migrationOptions, offline, type Offline } from './offline.ts'
import { table } from './terminal.ts'

export const migrateCommand: Command = {
  words: 'migrate',
  surface: 'identity',
  summary: 'Apply all pending migrations to the database',
  options: {
    status: {
      type: 'boolean',
      says: 'Only list which migrations are applied and which are pending',
    },
  },
  more: ['Starting the platform does the same. A deployment that migrates first calls this.'],
  run: async call => {
    await offline(call, platform => (call.flag('status') ? status : apply)(call, platform))
  },
}

async function apply({ terminal, composition }: Call, platform: Offline): Promise<void> {
  const { config, ground, audit } = platform
  const applied = await migrate(await migrationOptions(config, ground, composition))
  if (applied.length > 0) {
    const target = applied.map(nameOf).join(' ').slice(0, 1000)
    await audit({ action: 'kernel.migrations.apply', target })
  }
  terminal.answer({ applied: applied.map(shown) }, [
    applied.length === 0
      ? 'The database is up to date.'
      : `Applied ${applied.length} migrations: ${applied.map(nameOf).join(', ')}.`,
  ])
}

const Applied = Type.Object({
  schema: Type.String(),
  number: Type.Integer(),
  applied_at: Type.String(),
})
const Exists = Type.Object({ it: Type.Boolean() })

async function status({ terminal, composition }: Call, platform: Offline): Promise<void> {
  const { config, ground } = platform
  const { db } = platform.platform.kernel
  const newer: string[] = []
  const options = await migrationOptions(config, ground, composition)
  const onNewer = (names: readonly string[]) => void newer.push(...names)
  const pending = new Set((await pendingMigrations({ ...options, onNewer })).map(nameOf))
  const { it } = await db.one(
    Exists,
    sql`select to_regclass('kernel.migrations') is not null as it`,
  )
  const applied = it
    ? await db.many(Applied, sql`select schema, number, applied_at from kernel.migrations`)
    : []
  const known = await readMigrations(options.sources)
  const rows = known.map(one => ({
    ...shown(one),
    pending: pending.has(nameOf(one)),
    applied_at:
      applied.find(row => row.schema === one.schema && row.number === one.number)?.applied_at ??
      null,
  }))
  const list = rows.map(row => [
    `${row.schema}/${row.name}`,
    row.pending ? terminal.paint('yellow', 'pending') : row.applied_at,
  ])
  list.push(...newer.map(name => [name, 'by a newer release, compatible']))
  terminal.answer({ migrations: rows, newer }, [
    ...table(['MIGRATION', 'APPLIED'], list),
    '',
    pending.size === 0
      ? 'The database is up to date.'
      : `${pending.size} migrations are pending: \`npx dodeca migrate\` applies them.`,
  ])
}

function shown(one: Migration) {
  const name = nameOf(one).slice(one.schema.length + 1)
  return { schema: one.schema, number: one.number, name }
}
