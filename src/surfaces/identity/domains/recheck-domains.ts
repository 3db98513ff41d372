/**
 * Checks daily whether the domains still have their record. A name that has a new owner must not
 * bring accounts of its addresses into the old organization. If DNS does not answer, the check does
 * not count.
 */
import { Type } from 'typebox'
import { again, done, dueQueue, Id, retry, sql, type DueQueue, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { announceDomain, DomainState, proofs, Row } from './domain-row.ts'

/** The wait before a check is repeated that got no answer. */
const again_seconds = 3600

const Due = Type.Object({
  tenant_id: Id,
  id: Id,
  domain: Type.String(),
  record_value: Type.String(),
})

type Rechecking = Pick<Deps, 'kernel' | 'lookUpTxt'>

export function recheckQueue(deps: Rechecking): DueQueue {
  const { settings } = deps.kernel
  return dueQueue<typeof Due, boolean>({
    name: 'identity.domain_checks',
    table: 'identity.organization_domains',
    key: ['tenant_id', 'id'],
    row: Due,
    load: sql`t.domain, t.record_value`,
    batch: 20,
    concurrency: 4,
    lease_seconds: 60,
    retry: { first: again_seconds, factor: 1, cap: again_seconds },
    run: async due => {
      const records = await deps.lookUpTxt(proofs.recordName(due.domain))
      if (records === 'unanswered') return retry('dns_unanswered')
      return done(records.some(record => record.trim() === due.record_value))
    },
    finish: async (tx, { tenant_id, id }, outcome) => {
      if (outcome.end !== 'done') return undefined
      await record(tx, settings['identity.domain_misses'], { tenant_id, id, found: outcome.result })
      return again(settings['identity.domain_check_seconds'])
    },
  })
}

const Checked = Type.Object({
  ...Type.Pick(Row, ['id', 'state', 'version']).properties,
  before: DomainState,
})

type Seen = { readonly tenant_id: string; readonly id: string; readonly found: boolean }

async function record(tx: Tx, misses: number, { tenant_id, id, found }: Seen): Promise<void> {
  const checked = await tx.maybe(
    Checked,
    sql`
      with held as (
        select d.id, d.state, case
          when ${found}::boolean and t.state = 'active' and not exists (
            select from identity.organization_domains o
            where o.domain = d.domain and o.state = 'verified' and o.id <> d.id) then 'verified'
          when not ${found}::boolean and d.missed_checks + 1 >= ${misses} then 'lost'
          else d.state end as becomes
        from identity.organization_domains d
        join identity.tenants t on t.id = d.tenant_id
        where d.tenant_id = ${tenant_id} and d.id = ${id} and d.state in ('verified', 'lost')
        for update of d
      )
      update identity.organization_domains d
      set state = held.becomes, version = d.version + (held.becomes <> held.state)::int,
        missed_checks = case when ${found}::boolean then 0 else d.missed_checks + 1 end,
        checked_at = kernel.now()
      from held where d.tenant_id = ${tenant_id} and d.id = held.id
      returning d.id, d.state, d.version, held.state as before`,
  )
  if (checked && checked.state !== checked.before) announceDomain(tx, 'changed', tenant_id, checked)
}
