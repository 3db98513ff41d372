/**
 * Jobs for the demo tenants, in every state: they run at the next start. Existing data is left as
 * it is.
 */
import { Type } from 'typebox'
import { sql, type DemoTenant, type Tx } from '#dodeca/kernel'
import type { Deps } from './deps.ts'
import type { JobOrder } from './face.ts'
import { putSchedule } from './schedules/put-schedule.ts'
import { submitJob } from './jobs/submit-job.ts'
import { demoCount } from './types/demo-count.ts'

const { type } = demoCount

const orders: readonly { readonly name: string; readonly parameters: object; after?: string }[] = [
  { name: 'counts', parameters: { to: 50, step_ms: 200 } },
  { name: 'counts after the first', parameters: { to: 5 }, after: 'counts' },
  { name: 'needs three attempts', parameters: { to: 10, fail_at: 6, failures: 2 } },
  { name: 'fails for good', parameters: { to: 10, fail_at: 3 } },
  { name: 'waits for the one that failed', parameters: { to: 2 }, after: 'fails for good' },
]

export async function seedJobs(deps: Deps, tenants: readonly DemoTenant[]): Promise<string[]> {
  const made: string[] = []
  for (const { id: tenant_id, slug, accounts } of tenants) {
    const owner = accounts.find(one => one.role_ids.includes('tenant_admin'))
    if (!owner) continue
    const count = await deps.kernel.db.tx(tx => seedTenant(tx, deps, tenant_id, owner.id))
    if (count > 0) made.push(`${count} jobs and a schedule (${slug})`)
  }
  return made
}

async function seedTenant(tx: Tx, deps: Deps, tenant_id: string, principal_id: string) {
  const ids = new Map<string, string>()
  let count = 0
  for (const { name, parameters, after } of orders) {
    const parent = after === undefined ? undefined : ids.get(after)
    const order: JobOrder = {
      tenant_id,
      principal_id,
      type,
      parameters,
      operation: 'seed',
      idempotency_key: `seed:${name}`,
      ...(parent === undefined ? {} : { depends_on: [{ job_id: parent }] }),
    }
    const known = await knownJob(tx, order)
    const id = known ?? (await submitJob(tx, deps, order)).id
    if (known === undefined) count++
    ids.set(name, id)
  }
  if (count > 0) await seedSchedule(tx, deps, tenant_id, principal_id)
  return count
}

const Known = Type.Object({ id: Type.String() })

async function knownJob(tx: Tx, order: JobOrder): Promise<string | undefined> {
  const found = await tx.maybe(
    Known,
    sql`
    select id from jobs.jobs
    where tenant_id = ${order.tenant_id} and principal_id = ${order.principal_id}
      and operation = ${order.operation} and idempotency_key = ${order.idempotency_key}`,
  )
  return found?.id
}

async function seedSchedule(tx: Tx, deps: Deps, tenant_id: string, id: string): Promise<void> {
  const principal = {
    id,
    tenant_id,
    kind: 'account',
    session_id: null,
    aal: 'aal1',
    auth_time: 0,
  } as const
  const grants = new Set([`jobs.schedules.write:${type}`])
  const nightly = { type, parameters: { to: 5 }, cron: '30 2 * * *', timezone: 'Europe/Berlin' }
  const conditions = { if_match: undefined, if_none_match: undefined }
  await putSchedule(tx, deps, 'nightly-count', nightly, { principal, grants, conditions })
}
