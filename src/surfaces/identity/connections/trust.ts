/**
 * Whom a connection may speak for. A tenant chooses its providers itself, so one of them could say
 * anything: it speaks for members of the tenant, and for addresses in a domain that the tenant owns.
 * A session that begins there works in that tenant only. Connections of `default` belong to the operators, and may be trusted with more.
 */
import type { Reader } from '#dodeca/kernel'
import type { Asserted } from '../oidc/party.ts'
import { isOperator } from '../roles/require-rank.ts'
import type { AccountRow } from '../schemas.ts'
import { readMembers } from '../tenants/read-members.ts'
import { isOperators, type OpenedConnection } from './connection.ts'
import { domainOf, ownsDomain } from './owns-domain.ts'

type Whose = Pick<AccountRow, 'id' | 'tenant_id'>

/** A person who changes the provider of a tenant must not become an operator by it. */
export async function serves(
  reader: Reader,
  connection: OpenedConnection | null,
  { id, tenant_id }: Whose,
): Promise<boolean> {
  if (connection === null || isOperators(connection)) return true
  if (await isOperator(reader, id)) return false
  const here = connection.tenant_id
  return tenant_id === here || (await readMembers(reader, here, [id])).has(id)
}

/**
 * The provider must have verified the address. Directories such as Microsoft Entra do not say so: who
 * trusts the addresses in theirs sets `trust_email`.
 */
export async function maySpeakFor(
  reader: Reader,
  { tenant_id, trust_email }: OpenedConnection,
  { address, verified }: Asserted,
): Promise<boolean> {
  if (address === null || !(verified ?? trust_email)) return false
  return await ownsDomain(reader, tenant_id, domainOf(address.normalized))
}
