/**
 * Deliveries of one event for the next portion of its subscriptions, in the order of their ids, and the
 * bytes that they share. Running again for the same portion changes nothing.
 */
import { Type } from 'typebox'
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import type { LoggedEvent } from '../../../kernel/events/event.ts'
import { Id } from '../../../kernel/http/shapes.ts'
import { api_versions } from '../schemas.ts'
import { patternsOf } from '../types/event-types.ts'
import { bodyOf, type Body } from './body.ts'

export type Expanded = {
  /** An earlier event of the tenant is still being fanned out: this one has to queue behind it. */
  readonly queued: boolean
  readonly subscription_ids: readonly string[]
  readonly bodies: readonly Body[]
}

const Row = Type.Object({ queued: Type.Boolean(), ids: Type.Array(Id) })

export async function expand(
  tx: Tx,
  event: LoggedEvent,
  portion: { after: string | null; limit: number; queues: boolean },
): Promise<Expanded> {
  const patterns = patternsOf(event.type)
  const bodies = api_versions.map(version => bodyOf(event, version))
  const { queued, ids } = await tx.one(
    Row,
    sql`
      with ahead as materialized (
        select ${portion.queues} and exists (
          select from webhooks.fanouts f where f.tenant_id = ${event.tenant_id}) as it
      ),
      chosen as materialized (
        select s.tenant_id, s.id, s.api_version, s.ordering = 'aggregate' as ordered,
          s.held_seconds
            + coalesce(extract(epoch from (select kernel.now()) - s.paused_at), 0)::bigint
            as held_seconds
        from webhooks.subscriptions s
        where s.tenant_id = ${event.tenant_id} and s.state in ('active', 'paused')
          and s.types && ${patterns}::text[] and s.readable && ${patterns}::text[]
          and (s.aggregate_ids is null or ${event.aggregate_id}::uuid = any (s.aggregate_ids))
          and (${subjectOf(event)}::uuid is null or s.id <> ${subjectOf(event)}::uuid)
          and (${portion.after}::uuid is null or s.id > ${portion.after}::uuid)
          and not (select it from ahead)
        order by s.id
        limit ${portion.limit}
      ),
      made as (
        insert into webhooks.deliveries (tenant_id, event_id, subscription_id, id, event_type,
          aggregate_id, aggregate_version, api_version, ordered, held_seconds, occurred_at,
          next_attempt_at, created_at)
        select tenant_id, ${event.id}, id, webhooks.delivery_id(${event.id}, id), ${event.type},
          ${event.aggregate_id}, ${event.aggregate_version}, api_version, ordered, held_seconds,
          ${event.occurred_at}, (select kernel.now()), (select kernel.now())
        from chosen
        on conflict do nothing
      ),
      kept as (
        insert into webhooks.event_bodies (tenant_id, event_id, api_version, bytes, sha256)
        select ${event.tenant_id}, ${event.id}, b.api_version, b.bytes, b.sha256
        from unnest(${bodies.map(one => one.api_version)}::text[],
          ${bodies.map(one => one.bytes)}::bytea[], ${bodies.map(one => one.sha256)}::bytea[])
          as b (api_version, bytes, sha256)
        where exists (select from chosen c where c.api_version = b.api_version)
        on conflict do nothing
      )
      select (select it from ahead) as queued,
        coalesce((select array_agg(id order by id) from chosen), '{}') as ids`,
  )
  return { queued, subscription_ids: ids, bodies }
}

/** What is announced of a subscription is not sent to that subscription. */
function subjectOf({ type, payload }: LoggedEvent): string | null {
  if (!/^webhook_(subscription|delivery)\./.test(type)) return null
  return (payload as { subscription_id?: string } | null)?.subscription_id ?? null
}
