/**
 * The customer of an account with a provider. Its row is committed before the provider makes the
 * customer with our id, and one process calls at a time with one key for life. The provider forgets
 * keys after a day: then the customer is looked for by our id. So there is never a second one.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Type, type Static } from 'typebox'
import { again, done, dueQueue, Id, jitter, nullable, retry, sql } from '#dodeca/kernel'
import type { Db, DueQueue } from '#dodeca/kernel'
import { atAccount, type Deps } from '../deps.ts'
import { ProviderFailure } from '../provider/port.ts'
import type { ProviderCustomers } from '../provider/port-customers.ts'

export const provider_customers_name = 'payments.provider_customers'

const Row = Type.Object({
  tenant_id: Id,
  id: Id,
  customer_id: Id,
  ref: nullable(Type.String()),
  ended: Type.Boolean(),
  sent_age: nullable(Type.Number()),
})
type Row = Static<typeof Row>
type Key = { readonly tenant_id: string; readonly customer_id: string; readonly provider: string }

const columns = sql`
  p.tenant_id, p.id, p.customer_id, p.ref, p.ended_at is not null as ended,
  extract(epoch from now() - p.sent_at)::float8 as sent_age`
const resend_seconds_max = 23 * 3600
const patience_ms = 3000
const look_ms = 50

export function findProviderCustomer(db: Pick<Db, 'maybe'>, key: Key) {
  return db.maybe(
    Row,
    sql`
      select ${columns} from payments.provider_customers p
      where p.tenant_id = ${key.tenant_id} and p.customer_id = ${key.customer_id}
        and p.provider = ${key.provider}`,
  )
}

/** The provider's id, for a call that is about to be made. Made now, if there is none yet. */
export async function providerCustomer(deps: Deps, key: Key): Promise<string> {
  const until = performance.now() + patience_ms
  for (;;) {
    const row = await findProviderCustomer(deps.kernel.db, key)
    if (!row || row.ended) throw new ProviderFailure('refused', 'payment_method_invalid')
    const ref = row.ref ?? (await makeAlone(deps, row, sql`p.ended_at is null`))
    if (ref !== undefined) return ref
    if (performance.now() > until) throw new ProviderFailure('not_sent', 'customer_under_way')
    await pause(look_ms * (0.5 + jitter()))
  }
}

/** Undefined if another process is calling. It moves no money, so what is in doubt is asked again. */
async function makeAlone(deps: Deps, { tenant_id, id }: Row, where = sql`true`) {
  const { db, fault, settings } = deps.kernel
  const { customers } = deps.provider
  if (!customers) throw new ProviderFailure('refused', 'payment_method_invalid')
  const lease_ms = settings['payments.provider_timeout_ms'] * 3
  const mine = await db.maybe(
    Row,
    sql`
      update payments.provider_customers p
      set sent_at = coalesce(p.sent_at, now()),
        calling_until = now() + make_interval(secs => ${lease_ms / 1000})
      where p.tenant_id = ${tenant_id} and p.id = ${id} and p.ref is null and ${where}
        and (p.calling_until is null or p.calling_until < now())
      returning ${columns}`,
  )
  if (!mine) return undefined
  await fault('payments.before_customer')
  const ref = await madeAt(customers, mine).catch(async (error: unknown) => {
    await note(db, mine, null)
    if (!(error instanceof ProviderFailure) || error.kind !== 'doubt') throw error
    throw new ProviderFailure('not_sent', error.code, { cause: error })
  })
  await fault('payments.after_customer')
  await note(db, mine, ref)
  return ref
}

async function madeAt(customers: ProviderCustomers, row: Row): Promise<string> {
  const { id, customer_id, tenant_id, sent_age } = row
  const old = (sent_age ?? 0) > resend_seconds_max
  const found = old ? await customers.find(customer_id) : null
  return found ?? (await customers.create({ customer_id, tenant_id, key: `${id}:customer` }))
}

async function note(db: Db, { tenant_id, id }: Row, ref: string | null): Promise<void> {
  await db.run(sql`
    update payments.provider_customers
    set ref = coalesce(ref, ${ref}), calling_until = null
    where tenant_id = ${tenant_id} and id = ${id}`)
}

const Due = Type.Object({ tenant_id: Id, id: Id, provider: Type.String() })

/** Deletes what a provider knows of customers that were deleted or erased, until that is certain. */
export function endedCustomersQueue(deps: Deps): DueQueue {
  const { db, settings } = deps.kernel
  return dueQueue({
    name: provider_customers_name,
    table: 'payments.provider_customers',
    key: ['tenant_id', 'id'],
    row: Due,
    load: sql`t.provider`,
    where: sql`t.ended_at is not null`,
    batch: 20,
    concurrency: 4,
    lease_seconds: Math.ceil(settings['payments.provider_timeout_ms'] / 250) + 5,
    retry: { first: 2, factor: 3, cap: 3600 },
    run: async ({ tenant_id, id, provider }) => {
      const at = await atAccount(deps, provider)
      // An account that was closed is its owner's alone.
      if (!at?.provider.customers) return done()
      const row = await db.one(
        Row,
        sql`
          select ${columns} from payments.provider_customers p
          where p.tenant_id = ${tenant_id} and p.id = ${id}`,
      )
      if (row.ref === null && row.sent_age === null) return done()
      try {
        const ref = row.ref ?? (await makeAlone(at, row))
        if (ref === undefined) return again(1)
        await at.provider.customers.remove(ref, { key: `${id}:remove` })
        return done()
      } catch (error) {
        if (!(error instanceof ProviderFailure)) throw error
        return retry(error.code, { counts: error.kind !== 'not_sent' })
      }
    },
    finish: async (tx, { tenant_id, id }, { end }) => {
      if (end !== 'done') return
      await tx.run(sql`
        delete from payments.provider_customers where tenant_id = ${tenant_id} and id = ${id}`)
    },
  })
}
