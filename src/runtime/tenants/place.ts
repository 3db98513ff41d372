/** Where a tenant lives: the database and the objects of one cell. */
import type { Objects } from '../../kernel/objects/objects.ts'
import { directClient, type DirectClient } from '../../kernel/database/direct.ts'
import { newId, nil_id, StartError, type Kernel, type Opened, type Tenancy } from '#dodeca/kernel'
import type { Interest } from '../../kernel/events/consumers/leases.ts'

export type Place = {
  /** PostgreSQL itself, not a pooler. */
  readonly url: string
  readonly objects: Objects
  readonly schemas: readonly string[]
  readonly tenancy: Tenancy
  /** The consumers that must have processed the events of a tenant before it can go. */
  readonly interests: readonly Interest[]
  /** Deletes the search indexes of a tenant, and returns their number. */
  deleteIndexes(tenant_id: string): Promise<number>
  /** Requests the erasure of what these accounts left in any tenant. Workers run it. */
  erasePeople(account_ids: readonly string[]): Promise<void>
}

/** Of all surfaces. */
export function indexDeletion(opened: Readonly<Record<string, Opened>>): Place['deleteIndexes'] {
  return async tenant_id => {
    let deleted = 0
    for (const one of Object.values(opened)) deleted += (await one.deleteIndexes?.(tenant_id)) ?? 0
    return deleted
  }
}

/** The requests belong to no tenant, so that they stay when that of the accounts is deleted. */
export function peopleErasure({
  db,
  personal,
}: Pick<Kernel, 'db' | 'personal'>): Place['erasePeople'] {
  return async account_ids =>
    await db.tx(async tx => {
      for (const id of account_ids) {
        // Their API keys work only in the tenant itself.
        const account = { account_id: id, tenant_id: nil_id, principal_ids: [id] }
        await personal.erase(tx, account)
      }
    })
}

/** What a tenant is called stands here. */
export const tenants_table = 'identity.tenants'

export type TenantName = { readonly id: string; readonly slug: string; readonly name: string }

/** One connection on which no time limit holds, and whose work a hold lets through. */
export async function onPlace<T>(
  { url }: Place,
  work: (client: DirectClient) => Promise<T>,
): Promise<T> {
  const client = directClient(url, 'dodeca tenant')
  await client.connect().catch((error: unknown) => {
    const { host, pathname } = new URL(url)
    const why = (error as Error).message
    throw new StartError(`The database ${host}${pathname} cannot be used: ${why}.`)
  })
  try {
    await client.query(`set statement_timeout = 0`)
    await client.query(`set idle_in_transaction_session_timeout = 0`)
    await client.query(`set kernel.tenant_work = 'on'`)
    return await work(client)
  } finally {
    await client.end()
  }
}

export async function within<T>(
  client: DirectClient,
  begin: string,
  work: () => Promise<T>,
): Promise<T> {
  await client.query(begin)
  try {
    const result = await work()
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

export async function findTenant(client: DirectClient, slug: string): Promise<TenantName> {
  const { rows } = await client.query<TenantName>(
    `select id, slug, name from ${tenants_table} where slug = $1`,
    [slug],
  )
  if (rows[0]) return rows[0]
  const before = await client.query<{ state: string; cell_url: string | null; at: string }>(
    `select state, cell_url, to_char(changed_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI "UTC"') as at
     from kernel.tenant_states where receipt #>> '{tenant,slug}' = $1
     order by changed_at desc limit 1`,
    [slug],
  )
  const [gone] = before.rows
  const list = '`npx dodeca tenant list` lists them.'
  if (!gone) throw new StartError(`There is no tenant ${slug}. ${list}`)
  const { state, cell_url, at } = gone
  if (state === 'frozen') {
    throw new StartError(
      `The deletion of ${slug} was interrupted. Run \`npx dodeca tenant delete ${slug}\` again.`,
    )
  }
  const what = state === 'moved' ? `moved to ${cell_url}` : 'was deleted'
  throw new StartError(`There is no tenant ${slug} here: it ${what} (${at}). ${list}`)
}

/** `many(1, 'row')` is "1 row". */
export function many(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** As the platform itself reads it (`cellId`). */
export async function cellIdOf(client: DirectClient): Promise<string> {
  await client.query('insert into kernel.cell (id) values ($1) on conflict do nothing', [newId()])
  const { rows } = await client.query<{ id: string }>('select id from kernel.cell')
  return rows[0]?.id ?? ''
}

/** The time of the database, as RFC 3339. */
export async function timeOf(client: DirectClient): Promise<string> {
  const { rows } = await client.query<{ at: string }>(
    `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at`,
  )
  return rows[0]?.at ?? ''
}

/** The marks of the keys that a database is used with, by the name of the key. */
export async function keyMarks(client: DirectClient): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; mark: string }>(
    `select name, encode(mark, 'hex') as mark from kernel.keyring_marks order by name`,
  )
  return Object.fromEntries(rows.map(row => [row.name, row.mark]))
}

/** The newest migration of each schema. */
export async function migrationHead(client: DirectClient): Promise<Record<string, number>> {
  const { rows } = await client.query<{ schema: string; number: number }>(
    'select schema, max(number)::int as number from kernel.migrations group by schema order by 1',
  )
  return Object.fromEntries(rows.map(row => [row.schema, row.number]))
}
