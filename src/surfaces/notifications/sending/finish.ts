/**
 * Records results: many in one commit, each only where its token still holds, so that a sender that comes
 * late changes nothing. What follows (the next attempt, an inbox item, a suppression, reports that came
 * before us, the state of the intent and its event) is part of the commit.
 */
import { Type } from 'typebox'
import { rfc3339 } from '../../../kernel/clock.ts'
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { newId } from '../../../kernel/ids.ts'
import { addItems } from '../inbox/add-items.ts'
import { applyReports } from '../outcomes/apply-reports.ts'
import { suppress } from '../suppressions/suppress.ts'
import type { Result } from './result.ts'
import { lockIntents, settleIntents } from './settle-intents.ts'

const Recorded = Type.Object({ place: Type.Integer() })

/** Answers which results were recorded. */
export async function finish(tx: Tx, results: readonly Result[]): Promise<boolean[]> {
  const intents = results.map(({ claimed: { tenant_id, intent_id } }) => ({ tenant_id, intent_id }))
  await lockIntents(tx, intents)
  const recorded = await record(tx, results)
  const ours = results.filter((_, index) => recorded.has(index))
  await insertNext(tx, ours)
  await fanOut(tx, ours)
  await addItems(
    tx,
    ours.flatMap(({ item }) => (item ? [item] : [])),
  )
  for (const one of ours) if (one.suppress !== null || one.gone) await giveUpDestination(tx, one)
  await noteDecisions(tx, ours)
  await applyReports(
    tx,
    ours.map(({ claimed: { tenant_id, intent_id } }) => ({ tenant_id, intent_id })),
  )
  await settleIntents(
    tx,
    ours.map(({ claimed: { tenant_id, intent_id } }) => ({ tenant_id, intent_id })),
  )
  return results.map((_, index) => recorded.has(index))
}

async function record(tx: Tx, results: readonly Result[]): Promise<ReadonlySet<number>> {
  const rows = await tx.many(
    Recorded,
    sql`
      -- any tenant: a sender sends for all of them
      update notifications.delivery_attempts a
      set state = r.state, provider = r.provider, provider_message_id = r.provider_message_id,
        error_code = r.error_code, next_attempt_at = r.due_at, lease_token = null, leased_until = null,
        wire_at = case when r.state = 'pending' then null else a.wire_at end,
        rendered_sha256 = coalesce(r.sha256, a.rendered_sha256), destination_id = r.destination_id,
        destination_hash = r.hash, masked = r.masked, updated_at = kernel.now()
      from unnest(${results.map((_, index) => index)}::int[],
        ${results.map(one => one.claimed.tenant_id)}::uuid[],
        ${results.map(one => one.claimed.intent_id)}::uuid[],
        ${results.map(one => one.claimed.channel)}::text[],
        ${results.map(one => one.claimed.target)}::text[],
        ${results.map(one => one.claimed.attempt_no)}::int[],
        ${results.map(one => one.claimed.token)}::uuid[],
        ${results.map(one => one.state)}::text[], ${results.map(one => one.provider)}::text[],
        ${results.map(one => one.provider_message_id)}::text[],
        ${results.map(one => one.error_code)}::text[],
        ${results.map(one => (one.due_at_ms === null ? null : rfc3339(one.due_at_ms)))}::timestamptz[],
        ${results.map(one => one.sha256)}::bytea[],
        ${results.map(one => one.target?.destination_id ?? null)}::uuid[],
        ${results.map(one => one.target?.hash ?? null)}::bytea[],
        ${results.map(one => one.target?.masked ?? null)}::text[])
        r (place, tenant_id, intent_id, channel, target, attempt_no, token, state, provider,
          provider_message_id, error_code, due_at, sha256, destination_id, hash, masked)
      where a.tenant_id = r.tenant_id and a.intent_id = r.intent_id and a.channel = r.channel
        and a.target = r.target and a.attempt_no = r.attempt_no and a.lease_token = r.token
        and a.state = 'sending'
      returning r.place`,
  )
  return new Set(rows.map(row => row.place))
}

async function insertNext(tx: Tx, results: readonly Result[]): Promise<void> {
  const next = results.filter(one => one.next !== null)
  if (next.length === 0) return
  await tx.run(sql`
    insert into notifications.delivery_attempts
      (tenant_id, id, intent_id, channel, target, attempt_no, state, provider, next_attempt_at, lane,
        batch_id)
    select n.tenant_id, n.id, n.intent_id, n.channel, n.target, n.attempt_no, 'pending', n.provider,
      n.due_at, n.lane, n.batch_id
    from unnest(${next.map(one => one.claimed.tenant_id)}::uuid[], ${next.map(() => newId())}::uuid[],
      ${next.map(one => one.claimed.intent_id)}::uuid[], ${next.map(one => one.claimed.channel)}::text[],
      ${next.map(one => one.claimed.target)}::text[],
      ${next.map(one => one.claimed.attempt_no + 1)}::int[],
      ${next.map(one => one.next?.provider ?? null)}::text[],
      ${next.map(one => rfc3339(one.next?.due_at_ms ?? 0))}::timestamptz[],
      ${next.map(one => one.claimed.lane)}::smallint[], ${next.map(one => one.claimed.batch_id)}::uuid[])
      n (tenant_id, id, intent_id, channel, target, attempt_no, provider, due_at, lane, batch_id)
    on conflict do nothing`)
}

/** The attempt of "push" gives way to one for each device. */
async function fanOut(tx: Tx, results: readonly Result[]): Promise<void> {
  const wide = results.filter(one => one.devices.length > 0)
  if (wide.length === 0) return
  const rows = wide.flatMap(({ claimed, devices }) =>
    devices.map(device => ({ ...claimed, device })),
  )
  await tx.run(sql`
    -- any tenant: a sender sends for all of them
    delete from notifications.delivery_attempts a
    using unnest(${wide.map(one => one.claimed.tenant_id)}::uuid[],
      ${wide.map(one => one.claimed.intent_id)}::uuid[]) d (tenant_id, intent_id)
    where a.tenant_id = d.tenant_id and a.intent_id = d.intent_id and a.channel = 'push'
      and a.target = ''`)
  await tx.run(sql`
    insert into notifications.delivery_attempts
      (tenant_id, id, intent_id, channel, target, attempt_no, state, next_attempt_at, lane, batch_id)
    select d.tenant_id, d.id, d.intent_id, 'push', d.device, 1, 'pending', kernel.now(), d.lane, d.batch_id
    from unnest(${rows.map(row => row.tenant_id)}::uuid[], ${rows.map(() => newId())}::uuid[],
      ${rows.map(row => row.intent_id)}::uuid[], ${rows.map(row => row.device)}::text[],
      ${rows.map(row => row.lane)}::smallint[], ${rows.map(row => row.batch_id)}::uuid[])
      d (tenant_id, id, intent_id, device, lane, batch_id)
    on conflict do nothing`)
}

async function giveUpDestination(tx: Tx, { claimed, target, suppress: reason, gone }: Result) {
  if (!target) return
  const { tenant_id, channel } = claimed
  if (reason !== null) {
    await suppress(tx, { tenant_id, hash: target.hash, channel, category: '*', reason })
  }
  if (!gone || target.destination_id === null) return
  await tx.run(sql`
    update notifications.destinations set disabled_at = kernel.now()
    where tenant_id = ${tenant_id} and id = ${target.destination_id} and disabled_at is null`)
}

async function noteDecisions(tx: Tx, results: readonly Result[]): Promise<void> {
  const noted = results.filter(one => one.decided !== null)
  if (noted.length === 0) return
  await tx.run(sql`
    insert into notifications.decisions (tenant_id, intent_id, channel, rule, outcome, until)
    select distinct on (d.tenant_id, d.intent_id, d.channel) d.*
    from unnest(${noted.map(one => one.claimed.tenant_id)}::uuid[],
      ${noted.map(one => one.claimed.intent_id)}::uuid[], ${noted.map(one => one.claimed.channel)}::text[],
      ${noted.map(one => one.decided?.rule ?? '')}::text[],
      ${noted.map(one => one.decided?.outcome ?? '')}::text[],
      ${noted.map(one => (one.due_at_ms === null ? null : rfc3339(one.due_at_ms)))}::timestamptz[])
      d (tenant_id, intent_id, channel, rule, outcome, until)
    on conflict (tenant_id, intent_id, channel) do update
      set rule = excluded.rule, outcome = excluded.outcome, until = excluded.until,
        decided_at = kernel.now()`)
}
