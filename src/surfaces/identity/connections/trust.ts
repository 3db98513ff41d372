/**
 * Whom a connection may speak for. A tenant chooses its providers itself, so one of them could say
 * anything: it speaks for accounts at home in the tenant, and for addresses in a domain that the
 * tenant owns. Connections of `default` belong to the operators, and may be trusted with more.
 */
import type { Reader } from '#dodeca/kernel'
import type { Asserted } from '../oidc/party.ts'
import { isOperator } from '../roles/require-rank.ts'
import type { AccountRow } from '../schemas.ts'
import { isOperators, type OpenedConnection } from './connection.ts'
import { domainOf, ownsDomain } from './owns-domain.ts'

type Whose = Pick<AccountRow, 'id' | 'tenant_id'>

/** Whoever changes the provider of a tenant must not become an operator by it. */
export async function serves(
  reader: Reader,
  connection: OpenedConnection | null,
  { id, tenant_id }: Whose,
): Promise<boolean> {
  if (connection === null || isOperators(connection)) return true
  return tenant_id === connection.tenant_id && !(await isOperator(reader, id))
}

/**
 * Where anybody may have an account with any address, the provider must have verified it. The
 * provider of an organization only must not deny it.
 */
export async function maySpeakFor(
  reader: Reader,
  { tenant_id, preset }: OpenedConnection,
  { address, verified }: Asserted,
): Promise<boolean> {
  if (address === null || !(verified === true || (verified === null && preset === null))) {
    return false
  }
  return await ownsDomain(reader, tenant_id, domainOf(address.normalized))
}
