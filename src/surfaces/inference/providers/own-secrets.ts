/**
 * The keys of tenants' own providers. A key is sealed together with the address that it was given
 * for, and can be read only in its row.
 */
import { Buffer } from 'node:buffer'
import type { SealedColumn } from '#dodeca/kernel'
import type { Auth } from './auth.ts'
import type { ProviderKind } from './provider.ts'
import type { Kernel } from '../settings.ts'

export type Secret = {
  readonly kind: ProviderKind
  readonly base_url: string
  readonly auth: Auth
}
type Place = { readonly tenant_id: string; readonly name: string }
type Keys = Pick<Kernel, 'keys'>

const use = 'inference.providers'
const placeOf = ({ tenant_id, name }: Place) => ({
  table: use,
  id: `${tenant_id}/${name}`,
  column: 'sealed',
})

export function sealSecret({ keys }: Keys, place: Place, secret: Secret): Buffer {
  return keys.seal(use, Buffer.from(JSON.stringify(secret)), placeOf(place))
}

export function openSecret({ keys }: Keys, place: Place, sealed: Buffer): Secret {
  return JSON.parse(keys.open(use, sealed, placeOf(place)).toString()) as Secret
}

export const sealedSecrets: SealedColumn = {
  table: use,
  key: ['tenant_id', 'name'],
  column: 'sealed',
  use,
  place: row => placeOf({ tenant_id: String(row['tenant_id']), name: String(row['name']) }),
}
