/**
 * The credentials of tenants' own payment accounts. They are sealed for one account of one tenant and
 * its provider, and can be read only in its row.
 */
import { Buffer } from 'node:buffer'
import type { SealedColumn } from '#dodeca/kernel'
import type { AccountSecret } from './vendor.ts'
import type { Kernel } from '../settings.ts'

type Place = { readonly tenant_id: string; readonly id: string; readonly provider: string }
type Keys = Pick<Kernel, 'keys'>

const use = 'payments.payment_accounts'
const placeOf = ({ tenant_id, id, provider }: Place) => ({
  table: use,
  id: `${tenant_id}/${id}/${provider}`,
  column: 'sealed',
})

export function sealSecret({ keys }: Keys, place: Place, secret: AccountSecret): Buffer {
  return keys.seal(use, Buffer.from(JSON.stringify(secret)), placeOf(place))
}

export function openSecret({ keys }: Keys, place: Place, sealed: Buffer): AccountSecret {
  return JSON.parse(keys.open(use, sealed, placeOf(place)).toString()) as AccountSecret
}

export const sealedAccounts: SealedColumn = {
  table: use,
  key: ['tenant_id', 'id'],
  also: ['provider'],
  column: 'sealed',
  use,
  place: row =>
    placeOf({
      tenant_id: String(row['tenant_id']),
      id: String(row['id']),
      provider: String(row['provider']),
    }),
}
