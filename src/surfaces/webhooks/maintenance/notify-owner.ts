/**
 * Informs the owner of a subscription in three cases: the endpoint has failed for long, the
 * endpoint was disabled for that reason, or the subscription was paused because the owner may no
 * longer read its types. The owner is informed once for each event, and only if the case is still
 * true. This is a consumer of the event and not a part of the sender's transaction. That
 * transaction contains hundreds of results and must not wait for a lock on an account.
 */
import { type Static, Type } from 'typebox'
import { Id, nullable, parseTime, rfc3339, sql, Time } from '#dodeca/kernel'
import type { Consumer, LoggedEvent, Tx } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import type { Inside as Notifications } from '../../notifications/face.ts'

export type Owners = Pick<Notifications, 'notify'>

type Words = { readonly subject: string; readonly paragraphs: string[] }

const Subscription = Type.Object({
  id: Id,
  owner_id: Id,
  endpoint: Type.String(),
  disabled_at: nullable(Time),
})

/** The values in the text. */
type Failing = Static<typeof Subscription> & {
  readonly since: string
  readonly last_error_code: string | null
}

type HealthChange = {
  readonly subscription_id: string
  readonly reason: string | null
  readonly failing_since: string | null
  readonly last_error_code?: string | null
}

export function ownerMailConsumer(
  kernel: Pick<Kernel, 'public_url' | 'settings'>,
  owners: Owners,
): Consumer {
  return {
    name: 'webhooks.owner_mail',
    events: [
      'webhook_subscription.degraded',
      'webhook_subscription.disabled',
      'webhook_subscription.paused',
    ],
    run: async (tx, event) => {
      const change = event.payload as HealthChange // as events.ts declares them
      const found = await findFailing(tx, event, change)
      if (!found) return
      const since = change.failing_since ?? event.occurred_at
      const failing = { ...found, since, last_error_code: change.last_error_code ?? null }
      await owners.notify(tx, {
        tenant_id: event.tenant_id,
        key: `event:${event.id}`,
        user_id: found.owner_id,
        category,
        template: 'notice',
        data: wordsFor(change, kernel, failing),
      })
    },
  }
}

/**
 * Returns nothing if the subscription has been fixed, moved or deleted meanwhile, or was disabled
 * for another reason.
 */
function findFailing(
  tx: Tx,
  { tenant_id }: LoggedEvent,
  { subscription_id, reason }: HealthChange,
) {
  return tx.maybe(
    Subscription,
    sql`
      select s.id, s.owner_id, s.endpoint, s.disabled_at
      from webhooks.subscriptions s
      join webhooks.delivery_lanes l on l.tenant_id = s.tenant_id and l.subscription_id = s.id
      where s.tenant_id = ${tenant_id} and s.id = ${subscription_id} and case ${reason}::text
        when 'degraded' then s.state in ('active', 'paused') and l.degraded_at is not null
        when 'failing' then s.disabled_reason = 'failing'
        when 'gone' then s.disabled_reason = 'gone'
        when 'owner_revoked' then s.paused_reason = 'owner_revoked'
        else false end`,
  )
}

const category = 'webhooks.health'
type Place = Pick<Kernel, 'public_url' | 'settings'>

function wordsFor({ reason }: HealthChange, place: Place, failing: Failing): Words {
  if (reason === 'degraded') return degradedWords(place, failing)
  if (reason === 'owner_revoked') return revokedWords(place, failing)
  return disabledWords(place, failing, reason === 'gone')
}

function revokedWords({ public_url }: Place, failing: Failing): Words {
  const { id, since } = failing
  const host = hostOf(failing)
  return {
    subject: `Your webhooks to ${host} are paused`,
    paragraphs: [
      `Your webhook subscription ${id} sends to ${host}. Since ${since} you may no longer read its events, so it is paused. Events that come meanwhile are kept, for at most 14 days.`,
      `An account that may read these events can resume it, and then becomes its owner:\nPATCH ${public_url}/v1/webhook-subscriptions/${id}\n{"state": "active"}`,
    ],
  }
}

function degradedWords({ public_url, settings }: Place, failing: Failing): Words {
  const { id, since } = failing
  const until = rfc3339(parseTime(since) + settings['webhooks.auto_disable_seconds'] * 1000)
  const host = hostOf(failing)
  return {
    subject: `Your webhooks to ${host} are failing`,
    paragraphs: [
      `Your webhook subscription ${id} sends to ${host}. ${failure(failing)}`,
      `Attempts go on by their schedule. If nothing is taken until ${until}, the subscription may be disabled; what happens from then on is not sent.`,
      `Requests and responses:\nGET ${public_url}/v1/webhook-deliveries?subscription_id=${id}`,
      `When the endpoint takes webhooks again, what still waits is sent by itself. What had ended without success is sent again by:\n${replay(public_url, id, 'failed', since)}`,
      span,
    ],
  }
}

function disabledWords({ public_url }: Place, failing: Failing, gone: boolean): Words {
  const { id, since, disabled_at } = failing
  const host = hostOf(failing)
  const at = `${public_url}/v1/webhook-subscriptions/${id}`
  const why = gone ? 'It answered 410, which means that it wants no more events.' : failure(failing)
  return {
    subject: `Your webhooks to ${host} were disabled`,
    paragraphs: [
      `Your webhook subscription ${id} sends to ${host}. ${why} So it was disabled at ${disabled_at}, and what happens from then on is not sent.`,
      `Requests and responses:\nGET ${public_url}/v1/webhook-deliveries?subscription_id=${id}`,
      `When the endpoint is ready, take the subscription up again; it has to answer a challenge first:\nPATCH ${at}\n{"state": "active"}`,
      `If it does not become active, have the challenge sent once more:\nPOST ${at}/verify`,
      `Then have sent what it missed:\n${replay(public_url, id, 'missed', disabled_at ?? since)}`,
      `And what had failed before:\n${replay(public_url, id, 'failed', since)}`,
      span,
    ],
  }
}

const span = 'A replay reaches over 14 days at most; `until` ends it earlier than now.'

function failure({ since, last_error_code }: Failing): string {
  const last = last_error_code === null ? '' : `; the last attempt ended with ${last_error_code}`
  return `It has taken nothing since ${since}${last}.`
}

function replay(public_url: string, id: string, only: string, since: string): string {
  const body = JSON.stringify({ since, only, reason: 'the endpoint was mended' })
  return `POST ${public_url}/v1/webhook-subscriptions/${id}/replay\n${body}`
}

/** Paths and queries of endpoints may contain secrets. */
function hostOf({ endpoint }: Failing): string {
  return new URL(endpoint).host
}
