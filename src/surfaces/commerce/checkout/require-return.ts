/**
 * Where a buyer may be led after the payment. A stranger can be a buyer, so only to where the shop or
 * the platform is at home; a server of the shop itself may name any address.
 */
import type { Principal, Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'

export async function requireReturn(
  reader: Reader,
  { people }: Pick<Deps, 'people'>,
  { kind, tenant_id }: Pick<Principal, 'kind' | 'tenant_id'>,
  { return_url }: { readonly return_url?: string | undefined },
  pointer: string,
): Promise<void> {
  if (return_url === undefined || kind !== 'account') return
  if (await people.leadsHome(reader, tenant_id, return_url)) return
  throw problem('return_url_not_allowed', {
    errors: [{ location: 'body', pointer, constraint: 'allowed_origin' }],
  })
}
