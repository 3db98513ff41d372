/** Migrations of payments over the rows that older releases wrote. */
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Clone } from '../../../../test/world.ts'
import { directClient, type DirectClient } from '../../../kernel/database/direct.ts'
import { migrate } from '../../../kernel/database/migrate.ts'
import { emptyDatabase } from '../../../kernel/database/test/empty-database.ts'
import { composition } from '../../../platform.ts'
import { migrationSources } from '../../../runtime/start.ts'

const sources = migrationSources(composition).filter(({ schema }) =>
  ['kernel', 'payments'].includes(schema),
)
const folder_of_payments = new URL('../migrations/', import.meta.url)

let database: Clone
let client: DirectClient
let folder: string
beforeEach(async () => {
  database = await emptyDatabase()
  client = directClient(database.url, 'test')
  await client.connect()
  folder = await mkdtemp(join(tmpdir(), 'dodeca-migrations-'))
})
afterEach(async () => {
  await client.end()
  await database.drop()
  await rm(folder, { recursive: true })
})

/** As a release was that knew no migration after this one. */
async function migrateUntil(number: string): Promise<void> {
  for (const name of await readdir(folder_of_payments)) {
    if (name < `${number}~`) await copyFile(new URL(name, folder_of_payments), join(folder, name))
  }
  const older = sources.map(one =>
    one.schema === 'payments' ? { ...one, folder: pathToFileURL(`${folder}/`) } : one,
  )
  await migrate({ url: database.url, sources: older, statement_timeout_ms: 5000 })
}

const rows = async (statement: string) => (await client.query(statement)).rows as object[]

test('0005 reads the events about new disputes that an older release left out, and nothing else', async () => {
  await migrateUntil('0004')
  await client.query(`
    insert into payments.provider_events
      (provider, event_id, type, object_ref, received_at, processed_at, due_at, attempts)
    select 'stripe', event_id, 'charge.dispute.created', object_ref, received_at, processed_at,
      due_at, attempts
    from (values
      -- as the older release stored what it did not know
      ('unread-1', 'du_1', now(), now(), null::timestamptz, 0),
      ('unread-2', 'du_2', now() - interval '90 days', now() - interval '90 days', null, 0),
      -- read by a newer release
      ('read', 'du_3', now() - interval '1 s', now(), null, 1),
      ('waits', 'du_4', now(), null, now() + interval '1 minute', 3),
      ('dead', 'du_5', now(), null, null, 40),
      -- other objects
      ('old-dispute', 'dp_1', now(), now(), null, 0),
      ('customer', 'cus_1', now(), now(), null, 0),
      ('not-a-dispute', 'dux_1', now(), now(), null, 0)
    ) old (event_id, object_ref, received_at, processed_at, due_at, attempts)`)
  const before = await rows(`
    select event_id, processed_at, due_at, attempts from payments.provider_events
    where event_id not like 'unread%' order by event_id`)
  const read_until = '2026-01-02T03:04:05.678901Z'
  await client.query(
    `insert into payments.provider_cursors (provider, name, read_until) values ('stripe', 'events', $1)`,
    [read_until],
  )

  await migrate({ url: database.url, sources, statement_timeout_ms: 5000 })

  expect(
    await rows(`
      select event_id, attempts, lease_token, last_error_code,
        due_at > kernel.now() + interval '14 minutes'
          and due_at < kernel.now() + interval '16 minutes' as later
      from payments.provider_events
      where processed_at is null and event_id like 'unread%' order by event_id`),
  ).toEqual(
    ['unread-1', 'unread-2'].map(event_id => ({
      event_id,
      attempts: 0,
      lease_token: null,
      last_error_code: null,
      later: true,
    })),
  )
  expect(
    await rows(`
      select event_id, processed_at, due_at, attempts from payments.provider_events
      where event_id not like 'unread%' order by event_id`),
  ).toEqual(before)
  expect(
    await rows(`
      select read_until = '${read_until}' as kept, pass_until, pass_newest
      from payments.provider_cursors`),
  ).toEqual([{ kept: true, pass_until: null, pass_newest: null }])
  // A release that knows only 0002 goes on beside it.
  await client.query(`
    insert into payments.provider_cursors as c (provider, name, read_until)
    values ('stripe', 'events', now())
    on conflict (provider, name) do update
    set read_until = greatest(c.read_until, excluded.read_until)`)
})
