/**
 * One delivery with its attempts. Every id contains a time, so each read scans only the weekly
 * partitions that can contain the delivery.
 */
import { columnsOf, sql, type Reader, type Sql } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import {
  Attempt,
  type DeliveryInFull,
  KnownDeliveryRow,
  ReplayRecord,
  shown_max,
} from './schemas.ts'

type Place = { readonly tenant_id: string; readonly id: string }

/** The clocks of the sending machines may be a little behind the event's time. */
const skew_ms = 3_600_000

/** When something will be sent. */
export function nextAttemptAt(table: 'd' | 't'): Sql {
  const column = (name: string) => sql.id(table, name)
  return sql`case when ${column('state')} = 'pending' and isfinite(${column('next_attempt_at')})
    then ${column('next_attempt_at')} end`
}

const columns = columnsOf(KnownDeliveryRow, 'd', {
  next_attempt_at: nextAttemptAt('d'),
  body_sha256: sql`encode(b.sha256, 'hex')`,
})

/** The location of one delivery: its tenant, its id, and the week of its event. */
export function deliveryAt({ tenant_id, id }: Place): Sql {
  return sql`d.tenant_id = ${tenant_id} and d.id = ${id}
    and d.event_id >= webhooks.first_id_beside(${id}::uuid)
    and d.event_id < webhooks.first_id_beside(${id}::uuid, 1)`
}

/** Includes the latest attempts and replays, in their order. */
export async function getDelivery(reader: Reader, place: Place): Promise<DeliveryInFull> {
  const known = await reader.maybe(
    KnownDeliveryRow,
    sql`
      select ${columns} from webhooks.deliveries d
      left join webhooks.event_bodies b
        on b.tenant_id = d.tenant_id and b.event_id = d.event_id and b.api_version = d.api_version
      where ${deliveryAt(place)}`,
  )
  if (!known) throw problem('delivery_not_found')
  const { tenant_id, id } = place
  const attempts = await reader.many(
    Attempt,
    sql`
      select ${columnsOf(Attempt, 'a')} from webhooks.delivery_attempts a
      where a.tenant_id = ${tenant_id} and a.delivery_id = ${id}
        and a.id >= webhooks.first_id_beside(${id}::uuid, ${-skew_ms})
      order by a.attempt_no desc, a.id desc limit ${shown_max}`,
  )
  // The record of a replay of many deliveries contains no delivery ids. The deliveries and their
  // attempts contain the replay's id.
  const named = [known.replay_id, ...attempts.map(one => one.replay_id)]
  const ofMany = [...new Set(named.filter(one => one !== null))]
  const replays = await reader.many(
    ReplayRecord,
    sql`
      select r.id, r.actor, r.reason, r.created_at from webhooks.replay_audit r
      where r.tenant_id = ${tenant_id}
        and (r.delivery_id = ${id} or r.id = any (${ofMany}::uuid[]))
      order by r.id desc limit ${shown_max}`,
  )
  const { replay_id: _last, ...shown } = known
  return { ...shown, attempts: attempts.reverse(), replays: replays.reverse() }
}
