/** An account book: the smallest surface in which a doubled or lost effect can be seen. */
import { Type } from 'typebox'
import { sql, type Db, type LoggedEvent, type Surface, type Tx } from '#dodeca/kernel'
import { errors } from './errors.ts'
import { events } from './events.ts'
import type { Face } from './face.ts'
import { routes } from './routes.ts'

export const book: Surface<Face, Record<never, never>> = {
  name: 'book',
  settings: {},
  migrations: new URL('./migrations/', import.meta.url),
  permissions: {
    'book.accounts.open': { says: 'Open an account', roles: ['member'] },
    'book.accounts.read': { says: 'Read an account', roles: ['member'] },
    'book.transfers.make': { says: 'Move money', roles: ['teller'] },
  },
  errors,
  events,
  open: ({ db }) => ({
    face: { violations: () => violations(db) },
    routes,
    consumers: [{ name: 'book.heard', events: ['account.moved'], run: hear }],
    checks: [
      { name: 'book', says: 'Balances, versions and events agree', run: () => violations(db) },
    ],
  }),
}

/** Each version of an account must follow the one before: a gap or a repeat stops this consumer. */
async function hear(tx: Tx, event: LoggedEvent): Promise<void> {
  const touched = await tx.run(sql`
    insert into book.heard (tenant_id, account_id, last_version, events)
    values (${event.tenant_id}, ${event.aggregate_id}, ${event.aggregate_version}, 1)
    on conflict (tenant_id, account_id) do update
      set last_version = excluded.last_version, events = book.heard.events + 1
      where book.heard.last_version = excluded.last_version - 1`)
  if (touched !== 1) throw new Error(`version ${event.aggregate_version} does not follow`)
}

/** An account starts at version 1 and each transfer adds one version to both sides, and one event each. */
async function violations(db: Db): Promise<readonly string[]> {
  const rows = await db.many(
    Type.Object({
      id: Type.String(),
      version: Type.Integer(),
      transfers: Type.Integer(),
      events: Type.Integer(),
    }),
    sql`
      select a.id, a.version,
        (select count(*) from book.transfers t
          where t.tenant_id = a.tenant_id and a.id in (t.from_id, t.to_id)) as transfers,
        (select count(*) from kernel.events e
          where e.tenant_id = a.tenant_id and e.aggregate_id = a.id)
        + (select count(*) from kernel.outbox_events o
          where o.tenant_id = a.tenant_id and o.aggregate_id = a.id) as events
      from book.accounts a`,
  )
  return rows
    .filter(row => row.version - 1 !== row.transfers || row.transfers !== row.events)
    .map(
      row =>
        `account ${row.id}: version ${row.version}, ${row.transfers} transfers, ${row.events} events`,
    )
}
