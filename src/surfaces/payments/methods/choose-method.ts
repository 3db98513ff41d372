/**
 * What an authorization uses of what was saved, or saves. Only our ids reach a provider's customer: a
 * method is charged for its own customer, in its tenant, at the account with the provider that has
 * it, by the account that saved it or by who may charge absent payers. Nothing was sent before.
 */
import { Type } from 'typebox'
import {
  allowsSome,
  Id,
  isId,
  lacks,
  limit,
  newId,
  nullable,
  requireScope,
  sql,
} from '#dodeca/kernel'
import type { Principal, Tx } from '#dodeca/kernel'
import { ownCustomer } from '../customers/customer.ts'
import type { Deps } from '../deps.ts'
import { problem, refuseMember } from '../errors.ts'
import type { IntentRow } from '../operations/rows.ts'

export type Wish = {
  readonly payment_method: string
  readonly save?: boolean | undefined
  readonly off_session?: boolean | undefined
  /** The account that pays for itself. */
  readonly payer?: string | null
  /** The caller may charge payers who are absent. */
  readonly may_charge?: boolean
  /** On a page, the merchant has said who pays, and only what the browser made is used. */
  readonly on_page?: boolean
}

export type Chosen = {
  readonly payment_method: string
  readonly payment_method_id?: string
  readonly customer_id?: string
  readonly save?: boolean
  readonly off_session?: boolean
}

type Payment = Pick<IntentRow, 'tenant_id' | 'id' | 'provider' | 'customer_id'>

export const method_refusals = [
  'customer_required',
  'customer_unusable',
  'payment_method_unsavable',
  'quota_exceeded',
]

const charges = 'payments.methods.charge'

/** The caller and their rights. A session that is only for another surface uses no saved method. */
export async function withRights(
  principal: Principal,
  grants: () => Promise<ReadonlySet<string>>,
  wish: Wish,
): Promise<Wish> {
  requireScope(principal, 'payments.write')
  const may_charge = allowsSome(await grants(), charges)
  if (wish.off_session && !may_charge) throw lacks(charges)
  return { ...wish, may_charge, payer: principal.kind === 'account' ? principal.id : null }
}

/** For a buyer, who is an account. */
export function requireMethods(principal: Principal, wish: Wish): void {
  if (!needsMethods(wish)) return
  requireScope(principal, 'payments.write')
  if (principal.kind !== 'account') throw refuseMember('customer_required', '/payment')
}

export function needsMethods({ payment_method, save, off_session }: Wish): boolean {
  return save === true || off_session === true || isId(payment_method)
}

/** Asks nothing where nothing is saved or was saved. */
export async function chooseMethod(
  tx: Tx,
  deps: Deps,
  payment: Payment,
  wish: Wish,
): Promise<Chosen> {
  const { payment_method, save = false, off_session = false } = wish
  const saved = isId(payment_method)
  if (save && (saved || off_session)) throw excluded('/save')
  if (off_session && !saved) throw excluded('/off_session')
  if (saved) return await useSaved(tx, payment, wish)
  if (save) return await beginSaving(tx, deps, payment, wish)
  // A browser has no id of the provider that was kept.
  if (payment.customer_id !== null && (await isKept(tx, payment, payment_method))) throw unknown()
  return { payment_method }
}

const Saved = Type.Object({ ref: Type.String(), customer_id: Id, account_id: nullable(Id) })

async function useSaved(tx: Tx, payment: Payment, wish: Wish): Promise<Chosen> {
  const { tenant_id, provider } = payment
  const { payment_method: id, payer = null, off_session = false } = wish
  if (wish.on_page) throw unknown()
  const found = await tx.maybe(
    Saved,
    sql`
      select m.ref, m.customer_id, m.account_id from payments.payment_methods m
      where m.tenant_id = ${tenant_id} and m.id = ${id} and m.provider = ${provider}
        and m.state = 'active' for share`,
  )
  if (!found) throw unknown()
  const { ref, customer_id, account_id } = found
  const own = account_id !== null && account_id === payer
  const may = own || (wish.may_charge === true && (off_session || account_id === null))
  if (!may || (payment.customer_id ?? customer_id) !== customer_id) throw unknown()
  await setCustomer(tx, payment, customer_id)
  return { payment_method: ref, payment_method_id: id, customer_id, off_session }
}

const methods_most = limit(
  'payments.methods_most',
  20,
  'payment methods',
  'Saved payment methods of one customer',
)

async function beginSaving(tx: Tx, deps: Deps, payment: Payment, wish: Wish): Promise<Chosen> {
  const { tenant_id, provider } = payment
  if (provider === deps.provider.name && !deps.provider.customers) {
    throw refuseMember('payment_method_unsavable', '/save')
  }
  const customer_id = await customerOf(tx, deps, payment, wish)
  const all = sql`
    select from payments.payment_methods
    where tenant_id = ${tenant_id} and customer_id = ${customer_id} and state = 'active'
    union all
    select from payments.payment_operations
    where tenant_id = ${tenant_id} and customer_id = ${customer_id} and save
      and state in ('created', 'pending_provider', 'requires_action')`
  await deps.kernel.counted(tx, `payments.methods:${customer_id}`, methods_most, all)
  await tx.run(sql`
    insert into payments.provider_customers (tenant_id, id, customer_id, provider)
    values (${tenant_id}, ${newId()}, ${customer_id}, ${provider})
    on conflict (tenant_id, customer_id, provider) do nothing`)
  await setCustomer(tx, payment, customer_id)
  return { payment_method: wish.payment_method, customer_id, save: true }
}

async function customerOf(tx: Tx, deps: Deps, payment: Payment, wish: Wish): Promise<string> {
  const { tenant_id, customer_id } = payment
  const { payer = null, on_page = false } = wish
  if (customer_id === null) {
    if (payer === null || on_page) throw refuseMember('customer_required', '/save')
    return await ownCustomer(tx, deps, { tenant_id, account_id: payer })
  }
  const { account_id } = await holdCustomer(tx, { tenant_id, id: customer_id }, '/save')
  // What a person saves is theirs. Nobody else puts a card among it.
  if (!on_page && account_id !== null && account_id !== payer) {
    throw refuseMember('customer_unusable', '/save')
  }
  return customer_id
}

/** A customer that is there until this transaction ends. */
export async function holdCustomer(
  tx: Tx,
  { tenant_id, id }: { readonly tenant_id: string; readonly id: string },
  pointer: string,
) {
  const found = await tx.maybe(
    Type.Object({ account_id: nullable(Id) }),
    sql`
      select account_id from payments.customers
      where tenant_id = ${tenant_id} and id = ${id} and deleted_at is null for share`,
  )
  if (!found) throw refuseMember('customer_unusable', pointer)
  return found
}

async function setCustomer(tx: Tx, { tenant_id, id, customer_id }: Payment, to: string) {
  if (customer_id !== null) return
  await tx.run(sql`
    update payments.payment_intents set customer_id = ${to}
    where tenant_id = ${tenant_id} and id = ${id} and customer_id is null`)
}

async function isKept(tx: Tx, { provider }: Payment, ref: string): Promise<boolean> {
  const kept = await tx.run(sql`
    -- any tenant: an id of the provider, which only one of them may use
    select from payments.payment_methods where provider = ${provider} and ref = ${ref}`)
  return kept > 0
}

function unknown() {
  const pointer = '/payment_method'
  return problem('payment_method_invalid', {
    detail: 'This is no saved payment method that may pay this.',
    errors: [{ location: 'body', pointer, constraint: 'known' }],
  })
}

function excluded(pointer: string) {
  return problem('validation_failed', {
    detail: 'Save a new payment method while its payer is there, or charge one that was saved.',
    errors: [{ location: 'body', pointer, constraint: 'excluded' }],
  })
}
