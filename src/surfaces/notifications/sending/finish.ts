/**
 * Records results, many in one transaction. Each is recorded only if its token is still valid, so
 * that a late sender changes nothing. The same transaction writes what follows: the next attempt,
 * an inbox item, a suppression, reports that arrived earlier, the state of the intent and its
 * event.
 */
import { Type } from 'typebox'
import { rfc3339, sql, type Tx } from '#dodeca/kernel'
import { addItems } from '../inbox/add-items.ts'
import { applyReports } from '../outcomes/apply-reports.ts'
import { suppress } from '../suppressions/suppress.ts'
import { insertAttempts } from './insert-attempts.ts'
import type { Result } from './result.ts'
import { lockIntents, settleIntents } from './settle-intents.ts'

const Recorded = Type.Object({ place: Type.Integer() })

export async function finish(tx: Tx, results: readonly Result[]): Promise<void> {
  await lockIntents(
    tx,
    results.map(one => one.claimed),
  )
  const recorded = await record(tx, results)
  const ours = results.filter((_, index) => recorded.has(index))
  const intents = ours.map(one => one.claimed)
  await insertAttempts(
    tx,
    ours.flatMap(({ claimed, next }) =>
      next ? [{ ...claimed, ...next, attempt_no: claimed.attempt_no + 1 }] : [],
    ),
  )
  await fanOut(tx, ours)
  await addItems(
    tx,
    ours.flatMap(({ item }) => item ?? []),
  )
  for (const one of ours) if (one.suppress !== null || one.gone) await giveUpDestination(tx, one)
  await noteDecisions(tx, ours)
  await applyReports(tx, intents)
  await settleIntents(tx, intents)
}

/** The positions of the recorded results. */
async function record(tx: Tx, results: readonly Result[]): Promise<ReadonlySet<number>> {
  const rows = results.map(({ claimed, target, due_at_ms, ...one }, place) => ({
    ...claimed,
    ...one,
    place,
    due_at: timeOf(due_at_ms),
    destination_id: target?.destination_id ?? null,
    hash: target?.hash ?? null,
    masked: target?.masked ?? null,
  }))
  const recorded = await tx.many(
    Recorded,
    sql`
      -- any tenant: a sender sends for all of them
      update notifications.delivery_attempts a
      set state = r.state, provider = r.provider, provider_message_id = r.provider_message_id,
        error_code = r.error_code, next_attempt_at = r.due_at, lease_token = null, leased_until = null,
        wire_at = case when r.state = 'pending' then null else a.wire_at end,
        rendered_sha256 = coalesce(r.sha256, a.rendered_sha256), destination_id = r.destination_id,
        destination_hash = case when not a.forgotten then r.hash end,
        masked = case when not a.forgotten then r.masked end, updated_at = (select kernel.now())
      from ${sql.table(rows, {
        place: 'int',
        tenant_id: 'uuid',
        intent_id: 'uuid',
        channel: 'text',
        target: 'text',
        attempt_no: 'int',
        token: 'uuid',
        state: 'text',
        provider: 'text',
        provider_message_id: 'text',
        error_code: 'text',
        due_at: 'timestamptz',
        sha256: 'bytea',
        destination_id: 'uuid',
        hash: 'bytea',
        masked: 'text',
      })} r
      where a.tenant_id = r.tenant_id and a.intent_id = r.intent_id and a.channel = r.channel
        and a.target = r.target and a.attempt_no = r.attempt_no and a.lease_token = r.token
        and a.state = 'sending'
      returning r.place`,
  )
  return new Set(recorded.map(row => row.place))
}

/** The attempt for "push" is replaced by one attempt for each device. */
async function fanOut(tx: Tx, results: readonly Result[]): Promise<void> {
  const wide = results.filter(one => one.devices.length > 0)
  if (wide.length === 0) return
  const claimed = wide.map(one => one.claimed)
  await tx.run(sql`
    -- any tenant: a sender sends for all of them
    delete from notifications.delivery_attempts a
    using ${sql.table(claimed, { tenant_id: 'uuid', intent_id: 'uuid' })} d
    where a.tenant_id = d.tenant_id and a.intent_id = d.intent_id and a.channel = 'push'
      and a.target = ''`)
  const attempts = wide.flatMap(({ claimed: one, devices, due_at_ms }) =>
    devices.map(target => ({ ...one, target, attempt_no: 1, due_at_ms: due_at_ms ?? 0 })),
  )
  await insertAttempts(tx, attempts)
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
  const rows = results.flatMap(({ claimed, decided, due_at_ms }) =>
    decided ? [{ ...claimed, ...decided, until: timeOf(due_at_ms) }] : [],
  )
  if (rows.length === 0) return
  await tx.run(sql`
    insert into notifications.decisions (tenant_id, intent_id, channel, rule, outcome, until)
    select distinct on (d.tenant_id, d.intent_id, d.channel) d.*
    from ${sql.table(rows, {
      tenant_id: 'uuid',
      intent_id: 'uuid',
      channel: 'text',
      rule: 'text',
      outcome: 'text',
      until: 'timestamptz',
    })} d
    on conflict (tenant_id, intent_id, channel) do update
      set rule = excluded.rule, outcome = excluded.outcome, until = excluded.until,
        decided_at = kernel.now()`)
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : rfc3339(ms)
}
