/**
 * One notification with its attempts, the reports of providers, and the decisions about the
 * notification.
 */
import { Type, type Static } from 'typebox'
import { allowsType, Id, sql, type Principal, type Reader } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import {
  AttemptView,
  DecisionView,
  ProviderEventView,
  type NotificationDetail,
  type NotificationView,
} from './schemas.ts'
import { findIntent } from './view.ts'

const Arrived = Type.Object({ id: Id })

export type Caller = { readonly principal: Principal; readonly grants: ReadonlySet<string> }

/** A caller who may not see the notification gets 404. */
export async function requireIntent(
  reader: Reader,
  { principal, grants }: Caller,
  id: string,
  action: 'read' | 'cancel',
): Promise<NotificationView> {
  const row = await findIntent(reader, principal.tenant_id, id)
  if (!row || !allows(grants, action, row)) throw problem('notification_not_found')
  return row
}

function allows(
  grants: ReadonlySet<string>,
  action: 'read' | 'cancel',
  row: NotificationView,
): boolean {
  return allowsType(grants, `notifications.intents.${action}`, row.category)
}

/** What the recipient of an in-app notification does not see of it. */
const of_sender = { idempotency_key: null, data_ref: null, metadata: null } as const

/** The recipient may read what is in their inbox. */
async function viewFor(
  reader: Reader,
  { principal, grants }: Caller,
  id: string,
): Promise<NotificationView> {
  const row = await findIntent(reader, principal.tenant_id, id)
  if (row && allows(grants, 'read', row)) return row
  if (row?.recipient_ref !== `user:${principal.id}`) throw problem('notification_not_found')
  const arrived = await reader.maybe(
    Arrived,
    sql`
      select id from notifications.delivery_attempts
      where tenant_id = ${row.tenant_id} and intent_id = ${id} and channel = 'in_app'
        and state = 'delivered'
      limit 1`,
  )
  if (!arrived) throw problem('notification_not_found')
  return { ...row, ...of_sender }
}

export async function readNotification(
  reader: Reader,
  caller: Caller,
  id: string,
): Promise<Static<typeof NotificationDetail>> {
  const { tenant_id } = caller.principal
  const view = await viewFor(reader, caller, id)
  const [attempts, events, decisions] = await Promise.all([
    reader.many(
      AttemptView,
      sql`
        select id, intent_id, channel, provider, attempt_no, state, provider_message_id,
          case when state in ('pending', 'unknown') then next_attempt_at end as next_attempt_at,
          error_code, masked as destination, wire_at, encode(rendered_sha256, 'hex') as rendered_sha256,
          created_at, updated_at
        from notifications.delivery_attempts
        where tenant_id = ${tenant_id} and intent_id = ${id}
        order by created_at, channel, target, attempt_no
        limit 200`,
    ),
    reader.many(
      ProviderEventView,
      sql`
        select provider, event_id, provider_message_id, type, occurred_at
        from notifications.provider_events
        where tenant_id = ${tenant_id} and intent_id = ${id}
        order by occurred_at, event_id
        limit 200`,
    ),
    reader.many(
      DecisionView,
      sql`
        select channel, rule, outcome, until, decided_at from notifications.decisions
        where tenant_id = ${tenant_id} and intent_id = ${id} order by channel`,
    ),
  ])
  return { ...view, attempts, events, decisions }
}
