/**
 * Imports the archive of a tenant into another cell: first the objects, then all rows in one
 * transaction, which ends by comparing the number and digest of the rows of each table with the
 * manifest. So the tenant exists there completely or not at all.
 */
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import type { DirectClient } from '../../kernel/database/direct.ts'
import { joinBucket, StartError } from '#dodeca/kernel'
import { canBeShared, shareTenant, unshareTenant } from '../../kernel/objects/shared-bucket.ts'
import { inLanes } from '../backup/copy.ts'
import { objectFile, readArchive, rowsFile, type TenantManifest } from './archive.ts'
import { digestOf } from './digest.ts'
import { patiently } from './hold.ts'
import {
  cellIdOf,
  keyMarks,
  many,
  migrationHead,
  onPlace,
  tenants_table,
  within,
  type Place,
} from './place.ts'
import { listOf, quoted, tenantTables, type TenantTable } from './tables.ts'

/** A portion is one parameter of a statement, so its bytes have a limit too. */
const portion = { lines: 500, characters: 8 * 1024 * 1024 }

const number_distance = 100_000

/** `move` is given if the other cell gives the tenant up. */
export async function importTenant(
  place: Place,
  folder: string,
  progress: (line: string) => void = () => {},
  move?: { beforeCommit(): Promise<void> },
): Promise<TenantManifest> {
  const manifest = await readArchive(folder)
  await onPlace(place, async client => {
    await refuseUnfit(client, manifest)
    const objects = Object.keys(manifest.objects).length
    if (objects > 0) progress(`Importing ${many(objects, 'object')} …`)
    await shareObjects(client, place, manifest, folder)
    const tables = await tenantTables(client, place.schemas, place.tenancy)
    await prepareDays(client, tables, manifest, folder)
    await advanceNumbers(client, tables, manifest, folder)
    const rows = within(client, 'begin', async () => {
      for (const table of tables) {
        const archived = manifest.tables[table.name]
        if (!archived) continue
        if (archived.rows > 0)
          progress(`Importing ${many(archived.rows, 'row')} of ${table.name} …`)
        await importTable(client, table, folder)
      }
      await verify(client, tables, manifest)
      await renew(client, tables, manifest, move !== undefined)
      // A tenant that comes back is served here again.
      await client.query('delete from kernel.tenant_states where tenant_id = $1', [
        manifest.tenant.id,
      ])
      await move?.beforeCommit()
    })
    await rows.catch(async (error: unknown) => {
      await unshareAbsent(client, place, manifest).catch(() => {})
      throw error
    })
  })
  return manifest
}

/** After a failure. If the commit may have succeeded, the mark stays. */
async function unshareAbsent(
  client: DirectClient,
  { objects }: Place,
  { tenant }: TenantManifest,
): Promise<void> {
  const query = `select from ${tenants_table} where id = $1`
  const { rowCount } = await client.query(query, [tenant.id])
  if (rowCount === 0 && canBeShared(objects)) {
    await unshareTenant(objects, tenant.id, await cellIdOf(client))
  }
}

async function refuseUnfit(client: DirectClient, manifest: TenantManifest): Promise<void> {
  const { tenant } = manifest
  const exists = await client.query(`select from ${tenants_table} where id = $1 or slug = $2`, [
    tenant.id,
    tenant.slug,
  ])
  if (exists.rowCount) {
    throw new StartError(`The cell has a tenant ${tenant.slug} already. Delete it there first.`)
  }
  const head = await migrationHead(client)
  const schemas = new Set([...Object.keys(head), ...Object.keys(manifest.migrations)])
  const other = [...schemas].filter(schema => head[schema] !== manifest.migrations[schema])
  if (other.length > 0) {
    throw new StartError(
      `The archive was written with other migrations of ${other.join(', ')}. Bring both cells to ` +
        'the same release, and export the tenant again.',
    )
  }
  const marks = await keyMarks(client)
  const missing = Object.keys(manifest.keys).filter(name => marks[name] !== manifest.keys[name])
  if (missing.length > 0) {
    throw new StartError(
      `The cell lacks the ${missing.join(', ')} of the archive, so nothing that is sealed could be ` +
        'read there. Give the cell the same KERNEL_PEPPER, and add the keys to its ' +
        'KERNEL_KEYRING, behind its own.',
    )
  }
}

/**
 * Cells that share a bucket have the objects already. Then both use them until one deletes the
 * tenant, and the mark for it is left before anything is found.
 */
async function shareObjects(
  client: DirectClient,
  place: Place,
  manifest: TenantManifest,
  folder: string,
): Promise<void> {
  const { objects } = place
  if (!canBeShared(objects)) return void (await importObjects(place, manifest, folder))
  const { id } = manifest.tenant
  const cell_id = await cellIdOf(client)
  await joinBucket(objects, cell_id)
  await shareTenant(objects, id, cell_id)
  const found = await importObjects(place, manifest, folder)
  if (found === 0) await unshareTenant(objects, id, cell_id)
}

/** Returns how many objects were there before. */
async function importObjects(
  { objects }: Place,
  { objects: wanted }: TenantManifest,
  folder: string,
): Promise<number> {
  let found = 0
  await inLanes(Object.entries(wanted), async ([key, { bytes, sha256 }]) => {
    // A key is used for one content only.
    if ((await objects.head(key))?.size === bytes) return void found++
    const stored = await objects.put(key, createReadStream(join(folder, objectFile(key))))
    if (stored.sha256.toString('hex') !== sha256) throw new Error(`${key} was stored differently`)
  })
  return found
}

/** A cell has partitions only for its own days. Each is made at once, so that no lock is held long. */
async function prepareDays(
  client: DirectClient,
  tables: readonly TenantTable[],
  manifest: TenantManifest,
  folder: string,
): Promise<void> {
  for (const { name, days } of tables) {
    if (!days || !manifest.tables[name]) continue
    const found = new Set<string>()
    for await (const line of linesOf(join(folder, rowsFile(name)))) {
      const row = JSON.parse(line) as Readonly<Record<string, string>>
      found.add(new Date(row[days.column] ?? '').toISOString().slice(0, 10))
    }
    for (const day of [...found].sort()) {
      await patiently(client, async () => void (await client.query(days.prepare, [day])))
    }
  }
}

/**
 * The sequences of this cell go beyond the numbers that come in, before any row comes in. So no row
 * that is written here meanwhile gets one of them.
 */
async function advanceNumbers(
  client: DirectClient,
  tables: readonly TenantTable[],
  manifest: TenantManifest,
  folder: string,
): Promise<void> {
  for (const { name, identities } of tables) {
    if (identities.length === 0 || !manifest.tables[name]) continue
    const highest = new Map<string, number>()
    for await (const line of linesOf(join(folder, rowsFile(name)))) {
      const row = JSON.parse(line) as Readonly<Record<string, number>>
      for (const column of identities) {
        highest.set(column, Math.max(highest.get(column) ?? 0, row[column] ?? 0))
      }
    }
    for (const [column, number] of highest) {
      // Others take numbers between the comparison and the change, but not so many.
      await client.query(
        `select setval(s, $4::bigint) from pg_get_serial_sequence($1, $2) s
         where coalesce(pg_sequence_last_value(s::regclass), 0) < $3::bigint`,
        [name, column, number, number + number_distance],
      )
    }
  }
}

async function importTable(
  client: DirectClient,
  table: TenantTable,
  folder: string,
): Promise<void> {
  const { name, columns } = table
  // Not jsonb: a column of type json keeps its text. A tenant that comes back finds the records that
  // were kept here.
  const insert = `
    insert into ${quoted(name)} (${listOf(columns)}) overriding system value
    select ${listOf(columns, 'r.')} from json_populate_recordset(null::${quoted(name)}, $1) r
    ${table.kept === null ? '' : 'on conflict do nothing'}`
  const write = async (lines: readonly string[]) => {
    await client.query(insert, [`[${lines.join(',')}]`])
  }
  for await (const some of inPortions(linesOf(join(folder, rowsFile(name))))) await write(some)
}

/** `node:readline` would also end a line at U+2028 and U+2029, which texts of people have. */
async function* linesOf(path: string): AsyncGenerator<string> {
  let begun: string[] = []
  for await (const chunk of createReadStream(path, { encoding: 'utf8' }) as AsyncIterable<string>) {
    const [end = '', ...others] = chunk.split('\n')
    begun.push(end)
    for (const next of others) {
      yield begun.join('')
      begun = [next]
    }
  }
}

/** @internal for a test */
export async function* inPortions(
  lines: AsyncIterable<string>,
  { lines: lines_max, characters: characters_max } = portion,
): AsyncGenerator<string[]> {
  let some: string[] = []
  let characters = 0
  for await (const line of lines) {
    if (
      some.length === lines_max ||
      (some.length > 0 && characters + line.length > characters_max)
    ) {
      yield some
      some = []
      characters = 0
    }
    some.push(line)
    characters += line.length
  }
  if (some.length > 0) yield some
}

/**
 * Positions of another log would hide the events of this one, or show old ones. Unless the tenant
 * moves, both cells have it from now on, so neither may use what the other one names.
 */
async function renew(
  client: DirectClient,
  tables: readonly TenantTable[],
  { tenant }: TenantManifest,
  moves: boolean,
): Promise<void> {
  for (const { name, renewed, positions, rows } of tables) {
    const named = renewed === null || moves ? [] : [[renewed, 'gen_random_uuid()'] as const]
    const head = '(select position from kernel.event_counter)'
    for (const [column, value] of [...positions.map(one => [one, head] as const), ...named]) {
      const is_set = `${rows} and ${quoted(column)} is not null`
      const change = `update ${quoted(name)} t set ${quoted(column)} = ${value} where ${is_set}`
      await client.query(change, [tenant.id])
    }
  }
}

async function verify(
  client: DirectClient,
  tables: readonly TenantTable[],
  { tables: wanted, tenant }: TenantManifest,
): Promise<void> {
  for (const [name, { rows, digest }] of Object.entries(wanted)) {
    const table = tables.find(one => one.name === name)
    const found = table && (await digestOf(client, table, table.exported ?? 'false', tenant.id))
    const more = table?.kept != null && found !== undefined && found.rows > rows
    const whole = more || (found?.rows === rows && found.digest === digest)
    if (!whole) {
      throw new StartError(
        `${name} has ${found?.rows ?? 'no'} rows after the import, or other contents, where the ` +
          `archive has ${rows}. Nothing was imported.`,
      )
    }
  }
}
