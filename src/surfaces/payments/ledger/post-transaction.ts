/**
 * Postings: the accounts that each event debits and credits. One SQL function writes the postings,
 * in the same transaction as the state that they belong to. Posting the same event again changes
 * nothing.
 */
import { Type } from 'typebox'
import { currentRequestId, newId, nil_id, sql, type Tx } from '#dodeca/kernel'
import { platform_tenant } from '../deps.ts'

export const account_types = [
  'provider_clearing',
  'bank',
  'provider_fees',
  'suspense',
  'merchant_balance',
  'refunds_in_transit',
  'disputed_funds',
] as const
type AccountType = (typeof account_types)[number]

export type Leg = {
  readonly account: AccountType
  readonly side: 'debit' | 'credit'
  readonly amount_minor: number
}

export type Posting = {
  readonly tenant_id: string
  readonly purpose: string
  readonly currency: string
  readonly description: string
  readonly legs: readonly Leg[]
  readonly operation_id?: string | null
  readonly intent_id?: string | null
  /** The provider's balance transaction. */
  readonly external_ref?: string | null
  readonly reverses_id?: string | null
  /** The tenant's own payment account whose books these are. Without it: the platform's. */
  readonly payment_account_id: string | null
}

const of_tenant: ReadonlySet<AccountType> = new Set([
  'merchant_balance',
  'refunds_in_transit',
  'disputed_funds',
])
const Posted = Type.Object({ posted: Type.Boolean() })

/**
 * Returns the id of the transaction that this call wrote, or undefined if the posting was already in
 * the ledger.
 */
export async function post(tx: Tx, posting: Posting): Promise<string | undefined> {
  const legs = posting.legs.filter(leg => leg.amount_minor > 0)
  if (legs.length === 0) return undefined
  const id = newId()
  const { tenant_id, payment_account_id } = posting
  // All money at an own account is the tenant's.
  const ownerOf = ({ account }: Leg) =>
    payment_account_id !== null || of_tenant.has(account) ? tenant_id : platform_tenant
  const { posted } = await tx.one(
    Posted,
    sql`
      select payments.post_ledger(
        ${id}, ${tenant_id}, ${posting.operation_id ?? null},
        ${posting.intent_id ?? null}, ${posting.purpose}, ${posting.external_ref ?? null},
        ${currentRequestId()}, ${posting.reverses_id ?? null}, ${posting.description},
        ${posting.currency},
        ${legs.map(ownerOf)}::uuid[],
        ${legs.map(({ account }) => account)}::text[], ${legs.map(({ side }) => side)}::text[],
        ${legs.map(({ amount_minor }) => amount_minor)}::bigint[],
        ${payment_account_id ?? nil_id}) as posted`,
  )
  return posted ? id : undefined
}

/** Moves one amount: credits one account and debits the other. */
export function transfer(debit: AccountType, credit: AccountType, amount_minor: number): Leg[] {
  return [
    { account: debit, side: 'debit', amount_minor },
    { account: credit, side: 'credit', amount_minor },
  ]
}
