/**
 * The product as the sender that is measured: in a process of its own and in the production profile. It
 * makes subscriptions as they stand after their challenge, commits events, and says when.
 */
import { loadConfig } from '../../src/settings.ts'
import { newId, sql } from '#dodeca/kernel'
import { composition } from '../../src/platform.ts'
import { start } from '../../src/runtime/start.ts'
import { openInboundSecrets } from '../../src/surfaces/webhooks/inbound/inbound-secrets.ts'
import { putSource } from '../../src/surfaces/webhooks/inbound/sources/put-source.ts'
import { openSecrets } from '../../src/surfaces/webhooks/sealed-secrets.ts'
import { nowMs } from './answer-beats.ts'
import { settings } from '../../src/surfaces/webhooks/settings.ts'

export type Asked =
  | {
      readonly ask: 'subscribe'
      readonly tenant_id: string
      readonly endpoints: readonly string[]
      readonly max_in_flight: number
    }
  | {
      readonly ask: 'emit'
      readonly tenant_ids: readonly string[]
      readonly count: number
      readonly together: number
      readonly gap_ms: number
    }
  | {
      readonly ask: 'source'
      readonly tenant_id: string
      readonly account_ref: string
      readonly secret: string
    }

const running = await start(loadConfig(), () => {}, composition)
const own = running.platform.kernelFor({ settings })
const { db } = own
const secrets = openSecrets(own)
const filler = 'x'.repeat(600)

/** A tenant with one account of the same id, which may read everything. */
async function makeOwner(id: string) {
  await db.run(sql`
    insert into identity.tenants (id, slug, name) values (${id}, ${`b-${id}`}, 'Bench')
    on conflict do nothing`)
  await db.run(sql`
    insert into identity.accounts (id, tenant_id, email_normalized, email_scope, status)
    values (${id}, ${id}, ${id}, ${id}, 'active') on conflict do nothing`)
  await db.run(sql`
    insert into identity.role_assignments (account_id, tenant_id, role_id, assigned_by)
    values (${id}, ${id}, 'tenant_admin', 'bench') on conflict do nothing`)
}

async function subscribe({
  tenant_id,
  endpoints,
  max_in_flight,
}: Extract<Asked, { ask: 'subscribe' }>) {
  await makeOwner(tenant_id)
  for (let from = 0; from < endpoints.length; from += 1000) {
    const part = endpoints.slice(from, from + 1000)
    const ids = part.map(() => newId())
    const sealed = ids.map(id => secrets.seal(id, 1, secrets.make(undefined).bytes))
    await db.run(sql`
      with made as (
        insert into webhooks.subscriptions (tenant_id, id, endpoint, event_filter, readable, owner_id,
          state, api_version, max_in_flight, secret_version, secret_ciphertext, verification_mode)
        select ${tenant_id}, one.id, one.endpoint, '{account.verified}', '{*}', ${tenant_id},
          'active', '2026-01', ${max_in_flight}, 1, one.sealed, 'manual'
        from unnest(${ids}::uuid[], ${part}::text[], ${sealed}::bytea[]) as one (id, endpoint, sealed)
        returning tenant_id, id)
      insert into webhooks.delivery_lanes (tenant_id, subscription_id)
      select tenant_id, id from made`)
  }
}

async function emit({ tenant_ids, count, together, gap_ms }: Extract<Asked, { ask: 'emit' }>) {
  const committed: [string, number][] = []
  const began = performance.now()
  for (let made = 0; made < count; made += together) {
    const ids = await db.tx(async tx =>
      Array.from({ length: Math.min(together, count - made) }, (_, index) => {
        const id = newId()
        const tenant_id = tenant_ids[(made + index) % tenant_ids.length] ?? ''
        const about = { aggregate_type: 'account', aggregate_id: id, aggregate_version: 1 }
        return tx.emit({
          ...about,
          type: 'account.verified',
          tenant_id,
          data: { account_id: id, filler },
        })
      }),
    )
    const at = nowMs()
    for (const id of ids) committed.push([id, at])
    const wait_ms = began + (made / together + 1) * gap_ms - performance.now()
    if (wait_ms > 0) await new Promise(resolve => setTimeout(resolve, wait_ms))
  }
  return committed
}

async function trust({ tenant_id, account_ref, secret }: Extract<Asked, { ask: 'source' }>) {
  const kernel = own
  const deps = { kernel, secrets: openInboundSecrets(kernel) }
  const conditions = { if_match: undefined, if_none_match: undefined }
  const place = { tenant_id, provider: 'stripe', account_ref, conditions }
  const source = { scheme: 'stripe' as const, secrets: [{ version: 1, value: secret }] }
  await db.tx(tx => putSource(tx, deps, place, source))
}

process.on('message', (asked: Asked) => {
  const answer = async (): Promise<unknown> => {
    if (asked.ask === 'subscribe') return await subscribe(asked)
    if (asked.ask === 'emit') return await emit(asked)
    return await trust(asked)
  }
  void answer().then(done => process.send?.({ done }))
})
let ending = false
const leave = () => {
  if (ending) return
  ending = true
  void running.stop().then(() => process.exit(0))
}
process.once('disconnect', leave)
process.once('SIGTERM', leave)
process.send?.({ ready: { port: running.port } })
