/** Tables whose rows are only added: the database refuses to change, delete or truncate them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { directClient, type DirectClient } from '../src/kernel/database/direct.ts'
import { composition } from '../src/platform.ts'
import { migrationSources } from '../src/runtime/start.ts'
import { cloneDatabase, type Clone } from './world.ts'

const append_only = [
  'kernel.audit_events',
  'kernel.events',
  'identity.security_events',
  'payments.ledger_transactions',
  'payments.ledger_entries',
  'commerce.price_versions',
  'commerce.inventory_movements',
  'commerce.order_state_history',
  'social.moderation_actions',
  'inference.usage_records',
  'inference.generation_usage',
  'inference.model_prices',
  'webhooks.replay_audit',
]
/** The platform never updates rows of these either, but they are no record of what happened. */
const not_records: Readonly<Record<string, string>> = {
  'kernel.cell': 'one row, which says which database this is',
  'kernel.inbox_events': 'what a consumer has processed, deleted by partitions',
  'kernel.migrations': 'written by a migration',
  'identity.clients': 'changed by `record`, whose statements name no table here',
  'identity.connections': 'changed by `record`, whose statements name no table here',
  'identity.roles': 'written by migrations',
  'identity.role_permissions': 'added to a role and removed from it',
  'identity.settings': 'written by migrations',
  'identity.used_captchas': 'deleted by retention',
  'identity.used_realtime_tokens': 'deleted by retention',
  'inference.key_owners': 'which account made a key; it does not change',
  'jobs.job_type_versions': 'written by each start',
  'jobs.outages': 'work of an hour, deleted by retention',
  'uploads.processing_attempts': 'deleted by retention with its file',
  'notifications.removed_ids': 'deleted by retention',
  'notifications.template_texts': 'changes as a draft; a trigger refuses it when published',
  'links.click_events': 'counted and then deleted by partitions',
  'social.feed_pull_authors': 'a projection, which is built again',
  'webhooks.event_bodies': 'deleted by partitions with the deliveries',
  'webhooks.receipt_payloads': 'deleted by retention with the receipt',
}

let database: Clone
let client: DirectClient
beforeAll(async () => {
  database = await cloneDatabase('product_template')
  client = directClient(database.url, 'test')
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

const codeOf = async (statement: string) =>
  await client.query(statement).then(
    () => 'done',
    (error: unknown) => (error as { code?: string }).code,
  )

test.each(append_only)('%s has triggers that refuse it', async table => {
  const { rows } = await client.query<{ name: string; bits: number }>(
    `select c.oid::regclass::text as name, bit_or(g.tgtype::int) as bits
     from pg_class c left join pg_trigger g on g.tgrelid = c.oid and g.tgenabled in ('O', 'A')
       and g.tgfoid in (select oid from pg_proc where proname = 'refuse_change')
     where c.oid = $1::regclass
       or c.oid in (select inhrelid from pg_inherits where inhparent = $1::regclass)
     group by c.oid order by c.relkind`,
    [table],
  )
  const [whole, ...partitions] = rows
  // Of a trigger: 2 before, 8 delete, 16 update, 32 truncate.
  expect(whole && whole.bits & 58, table).toBe(58)
  for (const { name, bits } of partitions) expect(bits & 26, name).toBe(26)
  expect(await codeOf(`truncate ${table} cascade`)).toBe('42501')
})

test('rows change only for an allowed reason, and in its transaction', async () => {
  await client.query(`
    create table public.notes (at int, says text) partition by range (at);
    create table public.notes_1 partition of public.notes for values from (1) to (2);
    insert into public.notes values (1, 'a');
    select kernel.make_append_only('public.notes', 'erasure', 'retention')`)
  const allowed = async (reason: string, statement: string) => {
    const allow = `select kernel.allow_change('${reason}')`
    const code = await codeOf(`begin; ${allow}; ${statement}; commit`)
    await client.query('rollback')
    return code
  }
  for (const table of ['public.notes', 'public.notes_1']) {
    expect(await codeOf(`update ${table} set says = 'b'`)).toBe('42501')
    expect(await codeOf(`delete from ${table}`)).toBe('42501')
    expect(await allowed('other', `delete from ${table}`)).toBe('42501')
    expect(await allowed('erasure', `update ${table} set says = 'erased'`)).toBe('done')
    expect(await codeOf(`update ${table} set says = 'b'`)).toBe('42501')
  }
  expect(await allowed('retention', 'truncate public.notes')).toBe('42501')
  expect((await client.query('select says from public.notes')).rows).toEqual([{ says: 'erased' }])
  expect(await allowed('retention', 'delete from public.notes')).toBe('done')
})

test('a table that no statement changes is append-only, or says why not', async () => {
  const root = join(import.meta.dirname, '../src')
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter(name => /(?<!\.test)\.(ts|sql)$/.test(name) && !name.includes('/test/'))
    .map(name => readFileSync(join(root, name), 'utf8'))
    .join('\n')
  const { rows } = await client.query<{ name: string }>(
    `select n.nspname || '.' || c.relname as name from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = any($1) and c.relkind in ('r', 'p') and not c.relispartition`,
    [migrationSources(composition).map(({ schema }) => schema)],
  )
  const changes = sources.matchAll(
    /(?:update|delete from)\s+([a-z_]+\.[a-z_]+)|insert into ([a-z_]+\.[a-z_]+)(?=[^`]*?do update)/g,
  )
  const changed = new Set([...changes].map(([, first, second]) => first ?? second))
  const unchanged = rows.map(({ name }) => name).filter(name => !changed.has(name))
  const known = new Set([...append_only, ...Object.keys(not_records)])
  expect(unchanged.filter(name => !known.has(name))).toEqual([])
  expect(unchanged).toEqual(expect.arrayContaining(Object.keys(not_records)))
})
