/**
 * The face for a surface of an application: payments and their operations as rows of the caller's
 * transaction. The resolver sends what was begun.
 */
import { Type } from 'typebox'
import { madeOnce, newId, nullable, orderPrint, sql, type Sql, type Tx } from '#dodeca/kernel'
import type { Deps } from './deps.ts'
import type { Face, OperationOrder } from './face.ts'
import { beginAuthorize } from './intents/begin-authorize.ts'
import { beginCancel } from './intents/begin-cancel.ts'
import { beginCapture } from './intents/begin-capture.ts'
import { refuseCardData } from './intents/card-data.ts'
import { createIntent } from './intents/create-intent.ts'
import { summaryOf } from './intents/intent-view.ts'
import { findIntent } from './operations/rows.ts'
import { requestRefund } from './refunds/request-refund.ts'

const Known = Type.Object({ fingerprint: nullable(Type.Unsafe<Buffer>({})) })

export function faceFor(deps: Deps): Face {
  return {
    createIntent: async (tx, { id = newId(), ...order }) => {
      const { tenant_id, customer_account_id = null, ...given } = order
      const print = orderPrint('createIntent', { ...order, id })
      const key = { value: id, fingerprint: print }
      const maker = { id, tenant_id, principal_id: customer_account_id, key, managed: false }
      const { existing } = await madeOnce(tx, {
        fingerprint: print,
        find: reader => findKnown(reader, tenant_id, sql`intent_id = ${id} and type = 'create'`),
        make: part => createIntent(part, deps, given, maker),
        constraints: ['payment_intents_pkey'],
      })
      return { id, existing }
    },
    begin: async (tx, { operation_id = newId(), ...order }) => {
      const print = orderPrint('begin', { ...order, operation_id })
      const { existing } = await madeOnce(tx, {
        fingerprint: print,
        find: reader => findKnown(reader, order.tenant_id, sql`id = ${operation_id}`),
        make: part => begin(part, deps, operation_id, order, print),
        constraints: ['payment_operations_pkey', 'payment_operations_id_key'],
      })
      return { operation_id, existing }
    },
    find: async (reader, key) => {
      const intent = await findIntent(reader, key)
      return intent && summaryOf(intent)
    },
    refuseCardData,
  }
}

function findKnown(tx: Tx, tenant_id: string, which: Sql) {
  return tx.maybe(
    Known,
    sql`
      select request_fingerprint as fingerprint from payments.payment_operations
      where tenant_id = ${tenant_id} and ${which}`,
  )
}

async function begin(
  tx: Tx,
  deps: Deps,
  operation_id: string,
  order: OperationOrder,
  print: Buffer,
): Promise<unknown> {
  const { tenant_id, intent_id } = order
  const common = {
    operation_id,
    tenant_id,
    intent_id,
    principal_id: null,
    key: { value: operation_id, fingerprint: print },
    managed: false,
    by_resolver: true,
  }
  switch (order.type) {
    case 'authorize': {
      const { payment_method, return_url = null, customer_account_id = null } = order
      refuseCardData({ payment_method })
      const wish = { payment_method, save: order.save, off_session: order.off_session }
      const who = { principal_id: customer_account_id, payer: customer_account_id }
      const asked = { ...common, ...wish, ...who, may_charge: true, return_url }
      return await beginAuthorize(tx, deps, asked)
    }
    case 'capture':
      return await beginCapture(tx, deps, { ...common, amount_minor: order.amount_minor ?? null })
    case 'void':
      return await beginCancel(tx, deps, { ...common, reason: 'requested' })
    case 'refund': {
      const { amount_minor = null, reason = 'other' } = order
      return await requestRefund(tx, deps, { ...common, amount_minor, reason, note: null })
    }
  }
}
