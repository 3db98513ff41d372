/**
 * The personal data in webhooks: the subscriptions that a person owns, and the reasons that they
 * gave for replays. Erasing deletes the subscriptions, their endpoints and the endpoints'
 * responses. The record that a delivery happened stays. If another account becomes the owner of an
 * endpoint before the erasure, the tenant keeps the endpoint.
 */
import { Type, type Static } from 'typebox'
import { Id, madeIn, personalRows, sql } from '#dodeca/kernel'
import type { Personal, PersonalAccount, PersonalRows, Tx } from '#dodeca/kernel'
import type { Deps } from './deps.ts'
import { disableOwned } from './maintenance/owners.ts'
import { deleteSubscription } from './subscriptions/delete-subscription.ts'

const portion = 1000
const blank = 'https://erased.invalid/'
const erased_reason = 'erased'

const Place = Type.Object({ tenant_id: Id, id: Id })
type Needs = Pick<Deps, 'kernel'>

export function personalWebhooks(deps: Needs): Personal {
  const { db } = deps.kernel
  const rows = personalRows(db, all)
  return {
    ...rows,
    erase: async (account, signal) => {
      for (const place of await owned(deps, account)) {
        signal.throwIfAborted()
        await eraseSubscription(deps, place, signal)
      }
      await rows.erase(account, signal)
    },
    suspend: account =>
      db.tx(tx =>
        disableOwned(
          tx,
          sql`s.owner_id = any(${account.principal_ids}::uuid[])
            and ${madeIn(sql`s.created_at`, account)}`,
        ),
      ),
  }
}

const all: readonly PersonalRows[] = [
  {
    kind: 'webhook_subscription',
    table: 'webhooks.subscriptions',
    owner: 'owner_id',
    where: sql`t.state <> 'deleted'`,
    view: ['id', 'tenant_id', 'endpoint', 'event_filter', 'description', 'state', 'created_at'],
  },
  {
    kind: 'webhook_replay',
    table: 'webhooks.replay_audit',
    owner: ({ principal_ids }) => sql`t.actor = any(${principal_ids}::text[])`,
    view: ['id', 'tenant_id', 'subscription_id', 'reason', 'created_at'],
    erase: eraseReasons,
  },
]

async function eraseReasons(tx: Tx, { principal_ids }: PersonalAccount): Promise<number> {
  await tx.run(sql`select kernel.allow_change('erasure')`)
  return await tx.run(sql`
    -- any tenant: what one person did
    update webhooks.replay_audit set reason = ${erased_reason}
    where actor = any(${principal_ids}::text[]) and reason <> ${erased_reason}`)
}

function owned({ kernel: { db } }: Needs, { principal_ids }: PersonalAccount) {
  return db.many(
    Place,
    sql`
      -- any tenant: what one person made
      select tenant_id, id from webhooks.subscriptions
      where owner_id = any(${principal_ids}::uuid[]) and endpoint <> ${blank}`,
  )
}

/**
 * Personal data is deleted last, in one transaction. If an earlier run crashed, the same
 * subscription is processed again.
 */
async function eraseSubscription(
  { kernel: { db } }: Needs,
  { tenant_id, id }: Static<typeof Place>,
  signal: AbortSignal,
): Promise<void> {
  await db.tx(tx => deleteSubscription(tx, { tenant_id, id }))
  const some = () =>
    db.run(sql`
      update webhooks.delivery_attempts a set response_excerpt = null
      where a.tenant_id = ${tenant_id} and a.response_excerpt is not null
        and (a.delivery_id, a.attempt_no, a.id) in (
          select x.delivery_id, x.attempt_no, x.id from webhooks.deliveries d
          join webhooks.delivery_attempts x
            on x.tenant_id = d.tenant_id and x.delivery_id = d.id and x.response_excerpt is not null
          where d.tenant_id = ${tenant_id} and d.subscription_id = ${id} limit ${portion})`)
  while ((await some()) === portion) signal.throwIfAborted()
  await db.run(sql`
    update webhooks.subscriptions
    set endpoint = ${blank}, description = null
    where tenant_id = ${tenant_id} and id = ${id} and state = 'deleted'`)
}
