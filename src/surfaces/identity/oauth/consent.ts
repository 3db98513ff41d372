/**
 * What is decided before a person is asked, or instead: in which organization the application may
 * work, whether this was allowed before, and whether the person has to prove again who they are.
 */
import { Type, type Static } from 'typebox'
import {
  Id,
  newId,
  nullable,
  sql,
  type PermissionCatalog,
  type Reader,
  type Tx,
} from '#dodeca/kernel'
import { isLoopbackRedirect } from '../clients/redirect-uris.ts'
import { holdClient, type Client } from '../clients/find-client.ts'
import { problem } from '../errors.ts'
import type { Session } from '../mfa/holder.ts'
import { issueRandom } from '../one-time.ts'
import { default_tenant_id } from '../schemas.ts'
import type { Asked } from './authorization-request.ts'
import type { Allowed } from './redeem-code.ts'

const code_seconds = 60
const shown_max = 100

const Organization = Type.Object({
  id: Id,
  name: Type.String(),
  email: nullable(Type.String()),
  /** Whether the same scopes were granted there, and still are. */
  granted: Type.Boolean(),
})
export type Organization = Static<typeof Organization>

/**
 * The organizations of the person in which the application may work, first the one in which the
 * person works now. A session that is bound to an organization allows nothing in another one.
 */
export function organizationsFor(
  reader: Reader,
  { client, resource, scope }: Asked,
  { id: account_id, session_id, tenant_id }: Session,
): Promise<Organization[]> {
  const only = onlyTenant(client)
  return reader.many(
    Organization,
    sql`
      select t.id, t.name, a.email, exists (select from identity.sessions g
          where g.account_id = a.id and g.client_id = ${client.client_id}
            and g.bound_tenant_id = t.id and g.revoked_at is null and g.expires_at > kernel.now()
            and g.audience is not distinct from ${resource.audience}
            and g.scope @> ${scope as string[]}::text[]) as granted
      from identity.sessions s
      join identity.accounts a on a.id = s.account_id
      join identity.tenants t on t.state = 'active' and (t.id = a.tenant_id
        or t.id in (select r.tenant_id from identity.role_assignments r where r.account_id = a.id))
      where s.id = ${session_id} and s.account_id = ${account_id} and s.revoked_at is null
        and (s.bound_tenant_id is null or s.bound_tenant_id = t.id)
        and (${only}::uuid is null or t.id = ${only}::uuid)
        and (${resource.tenant_id}::uuid is null or t.id = ${resource.tenant_id}::uuid)
      order by t.id = ${tenant_id} desc, t.id = a.tenant_id desc, t.name
      limit ${shown_max}`,
  )
}

/** Clients of `default`, and documents, work in every tenant. */
function onlyTenant({ tenant_id }: Client): string | null {
  return tenant_id === default_tenant_id ? null : tenant_id
}

/** Single permissions that not every member has: asked each time, after a new proof. */
export function isPowerful(permissions: PermissionCatalog, { scope, resource }: Asked): boolean {
  if (resource.scopes !== null) return false
  return scope.some(word => {
    const permission = permissions.get(word.split(':', 1)[0] ?? '')
    return permission !== undefined && !permission.roles.includes('member')
  })
}

/**
 * Whether the person need not be asked. On a device any program can take the place of another, so
 * only a secret or an https address shows that it is the same application (RFC 8252, 8.6).
 */
export function mayPass(
  permissions: PermissionCatalog,
  asked: Asked,
  { granted }: Organization,
): boolean {
  const { client, prompt, redirect_uri } = asked
  const known = client.type === 'web' || redirect_uri.startsWith('https:')
  if (client.document || !known || prompt.has('consent')) return false
  return (client.first_party || granted) && !isPowerful(permissions, asked)
}

/** The code of an allowed request. Its row says what was allowed, and which session it begins. */
export async function issueCode(
  tx: Tx,
  { client, redirect_uri, scope, resource, code_challenge, nonce }: Asked,
  session: Session,
  organization_id: string,
): Promise<string> {
  const { client_id } = client
  if (!(await holdClient(tx, client_id))) throw problem('invalid_client')
  const details: Allowed = {
    client_id,
    redirect_uri,
    code_challenge,
    scope: [...scope],
    audience: resource.audience,
    tenant_id: organization_id,
    nonce,
    from_session_id: session.session_id,
  }
  const { home } = await tx.one(
    Type.Object({ home: Id }),
    sql`select tenant_id as home from identity.accounts where id = ${session.id}`,
  )
  const { token } = await issueRandom(tx, {
    purpose: 'oauth_code',
    ref: newId(),
    tenant_id: home,
    account_id: session.id,
    ttl_seconds: code_seconds,
    details,
  })
  return token
}

/** What a person is told about a redirect URI. */
export function placeOf(redirect_uri: string): { kind: 'site' | 'device'; name: string } {
  const { host, protocol } = new URL(redirect_uri)
  if (protocol === 'https:' || (protocol === 'http:' && !isLoopbackRedirect(redirect_uri))) {
    return { kind: 'site', name: host }
  }
  return { kind: 'device', name: protocol === 'http:' ? host : protocol.slice(0, -1) }
}
