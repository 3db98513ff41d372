/**
 * Waiting deliveries as rows: every subscription of a tenant has this number of events, written in
 * portions, with the bytes to send. They look as fan-out would write them, but without the events.
 */
import pg from 'pg'

export type Waiting = {
  readonly tenant_id: string
  readonly events: number
  /** Events in one statement. */
  readonly portion: number
}

const text = `
with made as materialized (
  select uuidv7() as id from generate_series(1, $2::int)
),
kept as (
  insert into webhooks.event_bodies (tenant_id, event_id, api_version, bytes, sha256)
  select $1, m.id, '2026-01', convert_to(rpad('{"id":"' || m.id || '"', 900, ' ') || '}', 'UTF8'),
    sha256('x')
  from made m
)
insert into webhooks.deliveries (tenant_id, event_id, subscription_id, id, event_type,
  aggregate_id, aggregate_version, api_version, ordered, held_seconds, occurred_at,
  next_attempt_at, created_at)
select s.tenant_id, m.id, s.id, webhooks.delivery_id(m.id, s.id), 'account.verified', m.id, 1,
  s.api_version, false, 0, now(), now() + random() * interval '1 ms', now()
from made m
join webhooks.subscriptions s on s.tenant_id = $1`

export async function fill(url: string, { tenant_id, events, portion }: Waiting): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('set statement_timeout = 0')
    for (let left = events; left > 0; left -= portion) {
      await client.query(text, [tenant_id, Math.min(left, portion)])
    }
    await client.query('vacuum analyze webhooks.deliveries')
  } finally {
    await client.end()
  }
}
