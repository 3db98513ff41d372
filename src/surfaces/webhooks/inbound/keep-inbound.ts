/** What of inbound webhooks is forgotten, and secrets that are due to be sealed again; in portions. */
import { Type } from 'typebox'
import { sql } from '../../../kernel/database/sql.ts'
import { Id } from '../../../kernel/http/shapes.ts'
import type { Loop } from '../../../kernel/surface.ts'
import type { Kernel } from '../settings.ts'
import { Bytes } from '../schemas.ts'
import type { InboundSecrets } from './inbound-secrets.ts'

type KeepDeps = {
  readonly kernel: Pick<Kernel, 'db' | 'settings'>
  readonly secrets: InboundSecrets
}

const portion = 1000

export function keepInboundLoop(deps: KeepDeps): Loop {
  return {
    name: 'webhooks.keep_inbound',
    every_ms: 3_600_000,
    run: async signal => {
      while (!signal.aborted && (await forgetPayloads(deps)) === portion);
      while (!signal.aborted && (await forgetReceipts(deps)) === portion);
      await resealInbound(deps)
    },
  }
}

/** Of what is still to be worked on the bytes stay. */
function forgetPayloads({ kernel: { db, settings } }: KeepDeps): Promise<number> {
  const days = settings['webhooks.receipt_payloads_retention_days']
  return db.run(sql`
    -- any tenant: a sweep
    delete from webhooks.receipt_payloads where receipt_id in (
      select p.receipt_id from webhooks.receipt_payloads p
      join webhooks.inbound_receipts r on r.id = p.receipt_id
      where p.created_at < kernel.now() - make_interval(days => ${days})
        and r.processing_state not in ('received', 'processing', 'failed')
      order by p.created_at limit ${portion})`)
}

function forgetReceipts({ kernel: { db, settings } }: KeepDeps): Promise<number> {
  const days = settings['webhooks.receipts_retention_days']
  return db.run(sql`
    -- any tenant: a sweep
    with old as (
      select r.id from webhooks.inbound_receipts r
      where r.id < kernel.first_id_of(kernel.now() - make_interval(days => ${days}))
      order by r.id limit ${portion}
    ), bytes as (
      delete from webhooks.receipt_payloads p using old where p.receipt_id = old.id
    )
    delete from webhooks.inbound_receipts r using old where r.id = old.id`)
}

const Sealed = Type.Object({ source_id: Id, version: Type.Integer(), secret_ciphertext: Bytes })

/** There are few of them: a tenant has a handful of sources. */
async function resealInbound({ kernel: { db }, secrets }: KeepDeps): Promise<void> {
  const rows = await db.many(
    Sealed,
    sql`
      -- any tenant: a sweep
      select source_id, version, secret_ciphertext from webhooks.inbound_secrets`,
  )
  for (const { source_id, version, secret_ciphertext } of rows) {
    const fresh = secrets.reseal(source_id, version, secret_ciphertext)
    if (!fresh) continue
    await db.run(sql`
      -- any tenant: a sweep
      update webhooks.inbound_secrets set secret_ciphertext = ${fresh}
      where source_id = ${source_id} and version = ${version}
        and secret_ciphertext = ${secret_ciphertext}`)
  }
}
