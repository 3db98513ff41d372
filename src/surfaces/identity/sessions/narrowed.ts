/**
 * What makes a session narrower than its account: its scope, the client and the API that it is for,
 * and the tenant to which it is bound. It is written once, when the session begins.
 */
import { Type, type Static } from 'typebox'
import { Id, nullable, sql, type Principal } from '#dodeca/kernel'
import type { NarrowFacts } from '../keys/access-tokens.ts'

export const Narrowed = Type.Object({
  scope: nullable(Type.Array(Type.String())),
  client_id: nullable(Type.String()),
  audience: nullable(Type.String()),
  bound_tenant_id: nullable(Id),
})
export type Narrowed = Static<typeof Narrowed>

/** Of a session `s`. */
export const narrowed_columns = sql`s.scope, s.client_id, s.audience, s.bound_tenant_id`

/** What the access token says of it. Undefined for a session that is as wide as its account. */
export function narrowFacts(
  { scope, client_id, audience, bound_tenant_id }: Narrowed,
  home_tenant_id: string,
): NarrowFacts | undefined {
  const away = bound_tenant_id !== null && bound_tenant_id !== home_tenant_id
  return scope || away ? { scope, client_id, audience, away } : undefined
}

/** The scope of a session in which a person adds the second factor that the tenant requires. */
export function isEnrolment({ scope, client_id }: Pick<Principal, 'scope' | 'client_id'>): boolean {
  return scope?.size === 1 && scope.has('enrolment') && client_id === undefined
}
