/**
 * Writes an intent, its sealed data and its attempts in one statement. The attempts are rows of a
 * queue. Attempts that may be sent immediately are due now, and scheduled or held attempts are due
 * later. A key makes only one intent as long as the intent's row exists.
 */
import { rfc3339 } from '../../../kernel/clock.ts'
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { newId } from '../../../kernel/ids.ts'
import { currentTraceparent } from '../../../kernel/observability/context.ts'
import { laneOf, type Channel, type IntentState } from '../schemas.ts'
import { keyName, seal, type DataKeys } from '../vault.ts'
import type { Order } from './order.ts'
import { textOf } from './recipient.ts'
import { intentColumns, IntentRow } from './view.ts'

export type NewAttempt = {
  readonly id: string
  readonly channel: Channel
  readonly state: 'pending' | 'skipped' | 'delivered' | 'failed'
  readonly error_code: string | null
  readonly due_at_ms: number | null
  readonly rule: string | null
  readonly rendered_sha256: Buffer | null
}

/** Returns undefined if the key already has an intent. `events` is how many are emitted with it. */
export async function insertIntent(
  tx: Tx,
  data_keys: DataKeys,
  order: Order,
  state: IntentState,
  attempts: readonly NewAttempt[],
  events = 0,
): Promise<IntentRow | undefined> {
  const { id, tenant_id, recipient, category, priority, template, data } = order
  const owner_id = recipient.id
  const ref = newId()
  const text = JSON.stringify(data)
  const key = data_keys.get(keyName({ tenant_id, owner_id })) as Buffer
  const ciphertext = seal(key, text, `input ${ref}`)
  const table = sql.table(
    attempts.map(one => ({ ...one, due_at: timeOf(one.due_at_ms) })),
    {
      id: 'uuid',
      channel: 'text',
      state: 'text',
      error_code: 'text',
      due_at: 'timestamptz',
      rule: 'text',
      rendered_sha256: 'bytea',
    },
  )
  return tx.maybe(
    IntentRow,
    sql`
      with given as (select * from ${table} g),
      made as (
        insert into notifications.notification_intents as i
          (tenant_id, id, recipient_ref, category, priority, template_version, locale, data_ref,
            scheduled_at, idempotency_key, state, expires_at, principal_id, request_fingerprint,
            closes_digest, metadata, emits, events, traceparent, created_at)
        values (${tenant_id}, ${id}, ${textOf(recipient)}, ${category.name}, ${priority},
          ${template.ref}, ${order.locale}, ${ref}, ${timeOf(order.scheduled_at_ms)}, ${order.key},
          ${state}, ${rfc3339(order.expires_at_ms)}, ${order.principal_id}, ${order.fingerprint},
          ${order.closes_digest}, ${order.metadata ? sql.json(order.metadata) : null},
          ${announces(order)}, ${events}, ${currentTraceparent()}::text,
          ${rfc3339(order.created_at_ms)})
        on conflict (tenant_id, principal_id, idempotency_key) where idempotency_key is not null
          do nothing
        returning ${intentColumns}
      ),
      input as (
        insert into notifications.notification_inputs (tenant_id, ref, owner_id, ciphertext, bytes)
        select m.tenant_id, m.data_ref, ${owner_id}, ${ciphertext}, ${Buffer.byteLength(text)}
        from made m
      ),
      attempts as (
        insert into notifications.delivery_attempts
          (tenant_id, id, intent_id, channel, attempt_no, state, error_code, next_attempt_at, lane,
            rendered_sha256)
        select m.tenant_id, a.id, m.id, a.channel, 1, a.state, a.error_code, a.due_at,
          ${laneOf(priority)}, a.rendered_sha256
        from made m cross join given a
      ),
      decided as (
        insert into notifications.decisions (tenant_id, intent_id, channel, rule, outcome, until)
        select m.tenant_id, m.id, a.channel, a.rule,
          case a.state when 'skipped' then 'skip' else 'hold' end,
          case when a.state = 'pending' then a.due_at end
        from made m cross join given a
        where a.rule is not null
      )
      select ${intentColumns} from made i`,
  )
}

/** Events about identity's mails would reveal whether an account exists. */
export function announces({ recipient }: Pick<Order, 'recipient'>): boolean {
  return recipient.kind !== 'identity_mail'
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : rfc3339(ms)
}
