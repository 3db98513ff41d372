/**
 * Writes intents, their sealed data and their attempts in one statement. The attempts are rows of a
 * queue. Attempts that may be sent immediately are due now, and scheduled or held attempts are due
 * later. A key makes only one intent as long as the intent's row exists.
 */
import { currentTraceparent, newId, rfc3339, sql, type Tx } from '#dodeca/kernel'
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

export type NewIntent = {
  readonly order: Order
  readonly state: IntentState
  readonly attempts: readonly NewAttempt[]
  /** How many events are emitted with it. */
  readonly events: number
}

/** An intent is undefined if its key already has one. */
export async function insertIntents(
  tx: Tx,
  data_keys: DataKeys,
  intents: readonly NewIntent[],
): Promise<(IntentRow | undefined)[]> {
  const attempts = intents.flatMap(({ order: { id: intent_id, priority }, attempts: own }) =>
    own.map(one => ({
      ...one,
      intent_id,
      lane: laneOf(priority),
      due_at: timeOf(one.due_at_ms),
    })),
  )
  const rows = await tx.many(
    IntentRow,
    sql`
      with given as (
        select * from ${sql.table(
          intents.map(one => rowOf(data_keys, one)),
          columns,
        )} g
      ),
      tried as (select * from ${sql.table(attempts, attempt_columns)} g),
      made as (
        insert into notifications.notification_intents as i
          (tenant_id, id, recipient_ref, category, priority, template_version, locale, data_ref,
            scheduled_at, idempotency_key, state, expires_at, principal_id, session_id,
            request_fingerprint, closes_digest, metadata, emits, events, traceparent, created_at, updated_at)
        select g.tenant_id, g.id, g.recipient_ref, g.category, g.priority, g.template_version,
          g.locale, g.data_ref, g.scheduled_at, g.idempotency_key, g.state, g.expires_at,
          g.principal_id, g.session_id, g.fingerprint, g.closes_digest, g.metadata, g.emits, g.events,
          ${currentTraceparent()}::text, g.created_at, (select kernel.now())
        from given g
        on conflict (tenant_id, principal_id, idempotency_key) where idempotency_key is not null
          do nothing
        returning ${intentColumns}
      ),
      input as (
        insert into notifications.notification_inputs (tenant_id, ref, owner_id, ciphertext, bytes)
        select m.tenant_id, m.data_ref, g.owner_id, g.ciphertext, g.bytes
        from made m join given g on g.id = m.id
      ),
      attempts as (
        insert into notifications.delivery_attempts
          (tenant_id, id, intent_id, channel, attempt_no, state, error_code, next_attempt_at, lane,
            rendered_sha256)
        select m.tenant_id, a.id, m.id, a.channel, 1, a.state, a.error_code, a.due_at, a.lane,
          a.rendered_sha256
        from made m join tried a on a.intent_id = m.id
      ),
      decided as (
        insert into notifications.decisions (tenant_id, intent_id, channel, rule, outcome, until)
        select m.tenant_id, m.id, a.channel, a.rule,
          case a.state when 'skipped' then 'skip' else 'hold' end,
          case when a.state = 'pending' then a.due_at end
        from made m join tried a on a.intent_id = m.id
        where a.rule is not null
      )
      select ${intentColumns} from made i`,
  )
  const made = new Map(rows.map(row => [row.id, row]))
  return intents.map(({ order }) => made.get(order.id))
}

export async function insertIntent(
  tx: Tx,
  data_keys: DataKeys,
  intent: NewIntent,
): Promise<IntentRow | undefined> {
  const [row] = await insertIntents(tx, data_keys, [intent])
  return row
}

const attempt_columns = {
  id: 'uuid',
  intent_id: 'uuid',
  channel: 'text',
  state: 'text',
  error_code: 'text',
  due_at: 'timestamptz',
  rule: 'text',
  lane: 'smallint',
  rendered_sha256: 'bytea',
} as const

const columns = {
  tenant_id: 'uuid',
  id: 'uuid',
  recipient_ref: 'text',
  category: 'text',
  priority: 'text',
  template_version: 'text',
  locale: 'text',
  data_ref: 'uuid',
  owner_id: 'uuid',
  ciphertext: 'bytea',
  bytes: 'int',
  scheduled_at: 'timestamptz',
  idempotency_key: 'text',
  state: 'text',
  expires_at: 'timestamptz',
  principal_id: 'uuid',
  session_id: 'uuid',
  fingerprint: 'bytea',
  closes_digest: 'uuid',
  metadata: 'jsonb',
  emits: 'boolean',
  events: 'int',
  created_at: 'timestamptz',
} as const

function rowOf(data_keys: DataKeys, { order, state, events }: NewIntent) {
  const { id, tenant_id, recipient, category, priority, template, locale, data } = order
  const owner_id = recipient.id
  const data_ref = newId()
  const text = JSON.stringify(data)
  const key = data_keys.get(keyName({ tenant_id, owner_id })) as Buffer
  return {
    tenant_id,
    id,
    recipient_ref: textOf(recipient),
    category: category.name,
    priority,
    template_version: template.ref,
    locale,
    data_ref,
    owner_id,
    ciphertext: seal(key, text, `input ${data_ref}`),
    bytes: Buffer.byteLength(text),
    scheduled_at: timeOf(order.scheduled_at_ms),
    idempotency_key: order.key,
    state,
    expires_at: rfc3339(order.expires_at_ms),
    principal_id: order.principal_id,
    session_id: order.session_id,
    fingerprint: order.fingerprint,
    closes_digest: order.closes_digest,
    metadata: order.metadata ? sql.json(order.metadata) : null,
    emits: announces(order),
    events,
    created_at: rfc3339(order.created_at_ms),
  }
}

/** Events about identity's mails would reveal whether an account exists. */
export function announces({ recipient }: Pick<Order, 'recipient'>): boolean {
  return recipient.kind !== 'identity_mail'
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : rfc3339(ms)
}
