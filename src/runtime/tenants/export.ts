/**
 * Exports all rows and objects of a tenant, as they are at one moment, while the platform goes on.
 * Rows are JSON as PostgreSQL writes it, so no value loses precision on the way. Sealed columns
 * stay sealed.
 */
import { createHash } from 'node:crypto'
import { mkdir, open, readdir, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DirectClient } from '../../kernel/database/direct.ts'
import { StartError } from '#dodeca/kernel'
import type { Objects } from '../../kernel/objects/objects.ts'
import { inLanes, type Copied } from '../backup/copy.ts'
import { writeManifest } from '../backup/manifest.ts'
import { objectFile, rowsFile, type ArchivedTable, type TenantManifest } from './archive.ts'
import { digestOf } from './digest.ts'
import {
  findTenant,
  keyMarks,
  many,
  migrationHead,
  onPlace,
  timeOf,
  within,
  type Place,
} from './place.ts'
import { listOf, quoted, tenantTables, type TenantTable } from './tables.ts'

/** A row may have some megabytes as JSON, and a portion of them is held in memory. */
const portion = 32

export async function exportTenant(
  place: Place,
  slug: string,
  folder: string,
  progress: (line: string) => void = () => {},
): Promise<TenantManifest> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if ((await readdir(folder)).length > 0) {
    throw new StartError(`${folder} is not empty. Name a folder that does not exist yet.`)
  }
  await mkdir(join(folder, 'rows'), { mode: 0o700 })
  const manifest = await onPlace(place, client =>
    within(client, 'begin isolation level repeatable read read only', async () => {
      const tenant = await findTenant(client, slug)
      const all = await tenantTables(client, place.schemas, place.tenancy)
      const tables: Record<string, ArchivedTable> = {}
      const keys = new Set<string>()
      for (const table of all) {
        if (table.exported === null) continue
        const archived = await exportTable(client, table, tenant.id, folder)
        tables[table.name] = archived
        if (archived.rows > 0) progress(`Exported ${many(archived.rows, 'row')} of ${table.name}.`)
        for (const key of await objectKeys(client, table, tenant.id)) keys.add(key)
      }
      return {
        format: 1 as const,
        tenant,
        created_at: await timeOf(client),
        migrations: await migrationHead(client),
        keys: await keyMarks(client),
        tables,
        objects: await exportObjects(place.objects, keys, folder),
        not_included: notIncluded(place, all),
      }
    }),
  )
  await writeManifest(folder, manifest)
  return manifest
}

function notIncluded({ tenancy }: Place, tables: readonly TenantTable[]) {
  return Object.fromEntries(
    tables.flatMap(({ name, exported }) => {
      const given = tenancy[name]
      return exported === null && given && 'stays' in given ? [[name, given.stays ?? '']] : []
    }),
  )
}

async function exportTable(
  client: DirectClient,
  table: TenantTable,
  tenant_id: string,
  folder: string,
): Promise<ArchivedTable> {
  const { name, columns, exported } = table
  const where = exported ?? 'false'
  const file = await open(join(folder, rowsFile(name)), 'wx', 0o600)
  try {
    const written = await writeRows(client, file, {
      text: `
        select row_to_json(r)::text as line
        from (select ${listOf(columns, 't.')} from ${quoted(name)} t where ${where}) r`,
      tenant_id,
    })
    return { columns, file: written, ...(await digestOf(client, table, where, tenant_id)) }
  } finally {
    await file.close()
  }
}

async function writeRows(
  client: DirectClient,
  file: FileHandle,
  { text, tenant_id }: { readonly text: string; readonly tenant_id: string },
): Promise<Copied> {
  const hash = createHash('sha256')
  let bytes = 0
  await client.query(`declare exported no scroll cursor for ${text}`, [tenant_id])
  for (;;) {
    const { rows } = await client.query<{ line: string }>(`fetch ${portion} from exported`)
    if (rows.length === 0) break
    // Not joined as text: a string of Node has at most 512 MiB.
    const chunk = Buffer.concat(rows.map(row => Buffer.from(`${row.line}\n`)))
    hash.update(chunk)
    bytes += chunk.length
    await file.writeFile(chunk)
  }
  await client.query('close exported')
  await file.sync()
  return { bytes, sha256: hash.digest('hex') }
}

export async function objectKeys(
  client: DirectClient,
  { name, objects, rows: where }: TenantTable,
  tenant_id: string,
): Promise<string[]> {
  const found: string[] = []
  for (const column of objects) {
    const { rows } = await client.query<{ key: string }>(
      `select t.${quoted(column)} as key from ${quoted(name)} t
       where (${where}) and t.${quoted(column)} is not null`,
      [tenant_id],
    )
    found.push(...rows.map(row => row.key))
  }
  return found
}

/** A row may name an object that does not exist: an upload that has not begun, a deleted file. */
async function exportObjects(
  objects: Objects,
  keys: ReadonlySet<string>,
  folder: string,
): Promise<Record<string, Copied>> {
  const copied = new Map<string, Copied>()
  await inLanes([...keys].sort(), async key => {
    const found = await objects.get(key)
    if (!found) return
    const path = join(folder, objectFile(key))
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const file = await open(path, 'wx', 0o600)
    const hash = createHash('sha256')
    let bytes = 0
    try {
      for await (const chunk of found.body as AsyncIterable<Buffer>) {
        hash.update(chunk)
        bytes += chunk.length
        await file.writeFile(chunk)
      }
      await file.sync()
    } finally {
      await file.close()
    }
    copied.set(key, { bytes, sha256: hash.digest('hex') })
  })
  return Object.fromEntries([...copied].sort(([one], [other]) => (one < other ? -1 : 1)))
}
