/**
 * What a login takes from the claims of a connection's provider: the roles that they map to, and
 * whether the provider has checked a second factor.
 */
import { Type, type Static } from 'typebox'
import { Id, nullable } from '#dodeca/kernel'
import type { Asserted } from '../oidc/party.ts'
import type { OpenedConnection } from './connection.ts'

/** Kept with the ticket, until the login. */
export const Said = Type.Object({
  connection_id: nullable(Id),
  role_ids: Type.Array(Type.String()),
  strong: Type.Boolean(),
})
export type Said = Static<typeof Said>

export function saidBy(connection: OpenedConnection | null, { claims }: Asserted): Said {
  if (!connection) return { connection_id: null, role_ids: [], strong: false }
  const { id, role_map, mfa_values } = connection
  const mapped = role_map.filter(({ claim, value }) => valuesOf(claims[claim]).includes(value))
  const factors = [...valuesOf(claims['amr']), ...valuesOf(claims['acr'])]
  return {
    connection_id: id,
    role_ids: [...new Set(mapped.map(({ role_id }) => role_id))],
    strong: mfa_values.some(value => factors.includes(value)),
  }
}

function valuesOf(claim: unknown): readonly string[] {
  const all: readonly unknown[] = Array.isArray(claim) ? claim : [claim]
  return all.flatMap(one =>
    typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean'
      ? [String(one)]
      : [],
  )
}
