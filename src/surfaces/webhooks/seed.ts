/**
 * Demo subscriptions of the demo tenants: one that is paused with waiting deliveries, and one whose
 * endpoint is not verified yet. Tenants with subscriptions are not changed.
 */
import { Type } from 'typebox'
import { sql, type DemoTenant, type Principal, type Tx } from '#dodeca/kernel'
import type { Deps } from './deps.ts'
import type { CreateSubscription } from './schemas.ts'
import { createSubscription } from './subscriptions/create-subscription.ts'
import { sendTestEvent } from './subscriptions/send-test-event.ts'
import { updateSubscription } from './subscriptions/update-subscription.ts'
import { acceptToken, layChallenge } from './verification/challenge.ts'

const Held = Type.Object({ subscriptions: Type.Integer() })
const grants: ReadonlySet<string> = new Set(['webhooks.events.read:*'])
/** No challenge is sent: the endpoints of the demo do not exist. */
const manual = { api_version: '2026-01', verification: 'manual' } as const

const samples = [
  { order: 'A-1041', total_minor: 12_900, currency: 'EUR' },
  { order: 'A-1042', total_minor: 4_500, currency: 'EUR' },
  { order: 'A-1043', total_minor: 78_050, currency: 'EUR' },
]

export async function seed(deps: Deps, tenants: readonly DemoTenant[]): Promise<string[]> {
  const made: string[] = []
  for (const { id: tenant_id, slug, accounts } of tenants) {
    const admin = accounts.find(one => one.role_ids.includes('tenant_admin'))
    if (!admin) continue
    const principal: Principal = {
      id: admin.id,
      tenant_id,
      kind: 'account',
      session_id: null,
      aal: 'aal1',
      auth_time: 0,
    }
    const count = await deps.kernel.db.tx(tx => seedTenant(tx, deps, principal, slug))
    if (count > 0) {
      made.push(`${count} webhook subscriptions, ${samples.length} deliveries wait (${slug})`)
    }
  }
  return made
}

async function seedTenant(tx: Tx, deps: Deps, principal: Principal, slug: string) {
  const { tenant_id } = principal
  const { subscriptions } = await tx.one(
    Held,
    sql`
      select count(*)::int as subscriptions from webhooks.subscriptions
      where tenant_id = ${tenant_id}`,
  )
  if (subscriptions > 0) return 0
  const made: string[] = []
  for (const order of ordersOf(slug)) {
    made.push((await createSubscription(tx, deps, order, { principal, grants })).id)
  }
  const [first] = made
  if (first !== undefined) await fill(tx, deps, principal, first)
  return made.length
}

function ordersOf(slug: string): CreateSubscription[] {
  return [
    {
      ...manual,
      endpoint: `https://crm.${slug}.example.com/hooks/accounts`,
      event_filter: { types: ['account.*', 'webhook_delivery.exhausted'] },
      description: 'Customer records, in maintenance',
      ordering: 'aggregate',
    },
    {
      ...manual,
      endpoint: `https://warehouse.${slug}.example.com/dodeca`,
      event_filter: { types: ['link.*', 'job.failed'] },
      description: 'Not verified yet',
      rate_per_second: 20,
    },
  ]
}

/** The subscription is marked as verified, and paused before anything is sent. */
async function fill(tx: Tx, deps: Deps, principal: Principal, id: string): Promise<void> {
  const challenge = await layChallenge(tx, deps, id)
  if (challenge) await acceptToken(tx, id, challenge.token)
  await updateSubscription(
    tx,
    deps,
    id,
    { state: 'paused' },
    { principal, grants, if_match: undefined },
  )
  for (const data of samples) {
    await sendTestEvent(tx, { id, tenant_id: principal.tenant_id }, { data })
  }
}
