/** Stores each report once by its event id, and applies those whose message is known. */
import { Type } from 'typebox'
import { Id, isId, sql, type ProviderEvent, type Tx } from '#dodeca/kernel'
import { lockIntents, settleIntents } from '../sending/settle-intents.ts'
import { applyReports } from './apply-reports.ts'

export const report_types = ['accepted', 'delivered', 'failed', 'bounced', 'complained'] as const
export type ReportType = (typeof report_types)[number]

export type Report = ProviderEvent & {
  readonly type: ReportType
  readonly provider_message_id: string | null
  /** Our reference `<intent>.<channel>`, if the provider returns it. */
  readonly ref: string | null
  readonly occurred_at: string
}

const Found = Type.Object({ tenant_id: Id, intent_id: Id })

export async function receiveReports(
  tx: Tx,
  provider: string,
  reports: readonly Report[],
): Promise<void> {
  const fresh = await tx.run(sql`
    -- any tenant: a provider reports for all of them
    insert into notifications.provider_events
      (provider, event_id, provider_message_id, type, occurred_at, ref)
    select ${provider}, r.* from ${sql.table(reports, {
      event_id: 'text',
      provider_message_id: 'text',
      type: 'text',
      occurred_at: 'timestamptz',
      ref: 'text',
    })} r
    order by r.event_id
    on conflict do nothing`)
  if (fresh > 0) await matchReports(tx, provider, reports)
}

async function matchReports(tx: Tx, provider: string, reports: readonly Report[]): Promise<void> {
  const intents = reports.flatMap(({ ref }) => {
    const id = ref?.split('.')[0] ?? ''
    return isId(id) ? [id] : []
  })
  const messages = reports.flatMap(one => one.provider_message_id ?? [])
  const found = await tx.many(
    Found,
    sql`
      -- any tenant: a provider knows our references and nothing of tenants
      select distinct i.tenant_id, i.id as intent_id from notifications.notification_intents i
      where i.id = any(${intents}::uuid[])
      union
      select a.tenant_id, a.intent_id from notifications.delivery_attempts a
      where a.provider = ${provider} and a.provider_message_id = any(${messages}::text[])`,
  )
  await lockIntents(tx, found)
  await applyReports(tx, found)
  await settleIntents(tx, found)
}

const Late = Type.Object({ tenant_id: Id, intent_id: Id })

/**
 * A report and our own transaction may not have seen each other. The remaining reports are matched
 * here, as long as a transaction may still be open that was open when the report arrived.
 */
export const lateReports = sql`
  -- any tenant: a provider reports for all of them
  select exists (select from notifications.provider_events
    where not applied and received_at > kernel.now() - interval '20 seconds')`

export async function matchLate(tx: Tx): Promise<void> {
  const found = await tx.many(
    Late,
    sql`
      -- any tenant: a provider knows its message ids and nothing of tenants
      select distinct a.tenant_id, a.intent_id
      from notifications.provider_events e
      join notifications.delivery_attempts a
        on a.provider = e.provider and a.provider_message_id = e.provider_message_id
      where not e.applied and e.received_at > kernel.now() - interval '1 hour'
      limit 200`,
  )
  await lockIntents(tx, found)
  await applyReports(tx, found)
  await settleIntents(tx, found)
}
