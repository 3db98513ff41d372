/**
 * Creates one notification for a request. The kernel replays a key for a week. The row of the
 * notification keeps the key as long as the row exists, so a later retry finds the same
 * notification, and a different request with that key is refused.
 */
import { Type } from 'typebox'
import { Id, newId, rfc3339, sql } from '#dodeca/kernel'
import type { RequestKey, Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { accept, type Accepted } from './accept.ts'
import { requireData, prepare } from './prepare-order.ts'
import { resolveRecipient } from './recipient.ts'
import type { NewNotification, NotificationView } from './schemas.ts'
import { findIntent } from './view.ts'

const Before = Type.Object({ id: Id, same: Type.Boolean() })

/** Returns the notification as its caller sees it. */
export async function createNotification(
  tx: Tx,
  deps: Deps,
  by: {
    readonly tenant_id: string
    readonly principal_id: string
    /** The narrow session of the principal. */
    readonly session_id: string | null
    readonly grants: ReadonlySet<string>
    readonly key: RequestKey
  },
  asked: NewNotification,
): Promise<NotificationView> {
  const { tenant_id, principal_id, session_id, grants, key } = by
  const prepared = await prepare(tx, deps, { tenant_id, grants }, asked)
  const { data = {} } = asked
  await requireData(deps, prepared.template, data)
  const recipient = await resolveRecipient(tx, deps, tenant_id, asked.recipient)
  const accepted = await accept(tx, deps, {
    ...prepared,
    id: newId(),
    tenant_id,
    principal_id,
    session_id,
    key: key.value,
    fingerprint: key.fingerprint,
    recipient,
    data,
    locale: asked.locale ?? null,
    created_at_ms: deps.kernel.clock.nowMs(),
    metadata: asked.metadata ?? null,
    dedupe: asked.dedupe ?? null,
    digest: asked.digest ?? null,
    closes_digest: null,
  })
  if (accepted) return acceptedView(accepted)
  const before = await tx.one(
    Before,
    sql`
      select id, request_fingerprint is not distinct from ${key.fingerprint} as same
      from notifications.notification_intents
      where tenant_id = ${tenant_id} and principal_id = ${principal_id} and idempotency_key = ${key.value}`,
  )
  if (!before.same) throw problem('idempotency_key_reused')
  const view = await findIntent(tx, tenant_id, before.id)
  if (!view) throw problem('notification_not_found')
  return view
}

/** The same result as `findIntent`, from the rows that were just written. */
function acceptedView({ row, attempts }: Accepted): NotificationView {
  const channels = attempts
    .map(({ channel, state, error_code, due_at_ms }) => ({
      channel,
      state,
      reason: error_code,
      next_at: state === 'pending' && due_at_ms !== null ? rfc3339(due_at_ms) : null,
    }))
    .sort((a, b) => (a.channel < b.channel ? -1 : 1))
  return { ...row, status: row.state, channels }
}
