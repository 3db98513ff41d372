/** The caller's own view: the account, this session, and the grants in its tenant. */
import { Type, type Static } from 'typebox'
import { Id, nullable, sql, Time, Version, withinScope } from '#dodeca/kernel'
import type { Principal, Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { Fields } from '../profiles/profile.ts'
import { readGrants, type AccountGrants } from '../roles/account-grants.ts'
import { Aal, Account } from '../schemas.ts'

const Texts = Type.Array(Type.String(), { maxItems: 1000 })
const Tenants = Type.Array(Type.Object({ id: Id, slug: Type.String() }), { maxItems: 1000 })

/** How a session is narrower than its account; all null if it is not. */
const Narrow = Type.Object({
  scope: nullable(Texts),
  client_id: nullable(Type.String()),
  bound_tenant_id: nullable(Id),
})

const Row = Type.Object({
  ...Account.properties,
  profile: Fields,
  metadata: Fields,
  email_normalized: nullable(Type.String()),
  version: Version,
  session: nullable(
    Type.Object({ ...Narrow.properties, id: Id, amr: Texts, expires_at: Type.String() }),
  ),
  tenants: Tenants,
  roles: Texts,
  factors: Texts,
})

export const Me = Type.Object(
  {
    ...Account.properties,
    /** The fields that the schema of the home tenant declares. Empty without `profile` in the scope. */
    profile: Fields,
    /** What administrators of the home tenant store. Empty without `profile` in the scope. */
    metadata: Fields,
    /** Null, like `email`, for a session whose scope has no `email`. */
    email_normalized: nullable(Type.String()),
    /** The tenant of the token. The roles and permissions are those in this tenant. */
    active_tenant_id: Id,
    principal_type: Type.Union([Type.Literal('account'), Type.Literal('service')]),
    session: nullable(
      Type.Object({
        id: Id,
        aal: Aal,
        amr: Texts,
        auth_time: Time,
        expires_at: Time,
        ...Narrow.properties,
      }),
    ),
    tenants: Tenants,
    roles: Texts,
    permissions: Texts,
    /** What the roles also allow, in a session with a second factor. */
    withheld_permissions: Texts,
    mfa: Type.Object({ enabled: Type.Boolean(), types: Texts }),
  },
  { title: 'Me' },
)
export type Me = Static<typeof Me>

/**
 * A service sees the account that owns its key, or itself if no account owns it. Both statements of an account travel in one packet.
 */
export async function readMe(
  reader: Reader,
  deps: Pick<Deps, 'access' | 'permissions' | 'kernel'>,
  principal: Principal,
): Promise<{ me: Me; version: number }> {
  const [account_row, { held, withheld }] = await Promise.all([
    readAccount(reader, principal),
    grantsOf(reader, deps, principal),
  ])
  const row = account_row ?? (await readKey(reader, principal))
  if (!row) throw problem('account_not_found')
  const { version, session, factors, ...account } = row
  const { scope, away } = principal
  // Another organization, or an application, sees only what it is told of the person's own things.
  const here = scope || away ? { tenants: account.tenants.filter(isActive(principal)) } : {}
  const unsaid = away ?? (scope && !scope.has('profile'))
  const within = (grants: ReadonlySet<string>) => [
    ...(scope ? withinScope(deps.permissions, scope, grants) : grants),
  ]
  const me: Me = {
    ...account,
    ...(scope && !scope.has('email') ? { email: null, email_normalized: null } : {}),
    ...(scope && !scope.has('profile') ? { display_name: null, locale: null } : {}),
    ...(unsaid ? { profile: {}, metadata: {} } : {}),
    ...here,
    active_tenant_id: principal.tenant_id,
    principal_type: principal.kind,
    session: session && {
      ...session,
      aal: principal.aal,
      auth_time: new Date(principal.auth_time * 1000).toISOString(),
    },
    permissions: within(held).sort(),
    withheld_permissions: within(withheld).sort(),
    mfa: { enabled: factors.length > 0, types: factors },
  }
  return { me, version }
}

function isActive({ tenant_id }: Principal) {
  return ({ id }: { readonly id: string }) => id === tenant_id
}

function readAccount(
  reader: Reader,
  principal: Principal,
): Promise<Static<typeof Row> | undefined> {
  return reader.maybe(
    Row,
    sql`
      select a.id, a.tenant_id, a.kind, a.email, a.email_normalized, a.status, a.verified_at,
        a.display_name, a.locale, a.profile, a.metadata, a.created_at, a.version,
        (select jsonb_build_object('id', s.id, 'amr', to_jsonb(s.amr), 'scope', to_jsonb(s.scope),
            'client_id', s.client_id, 'bound_tenant_id', s.bound_tenant_id, 'expires_at',
            to_char(s.expires_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
          from identity.sessions s
          where s.id = ${principal.session_id}::uuid and s.account_id = a.id) as session,
        (select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'slug', t.slug) order by t.slug),
            '[]')
          from identity.tenants t
          where t.id = a.tenant_id or t.id in (select r.tenant_id
            from identity.role_assignments r where r.account_id = a.id)) as tenants,
        array(select r.role_id from identity.role_assignments r
          where r.account_id = a.id and r.tenant_id = ${principal.tenant_id}
          order by r.role_id) as roles,
        array(select distinct m.type from identity.mfa_methods m
          where m.account_id = a.id and m.status = 'active' order by m.type) as factors
      from identity.accounts a
      where a.id = coalesce((select k.account_id from identity.api_keys k
          where k.id = ${principal.id} and k.tenant_id = ${principal.tenant_id}), ${principal.id})
        and a.status <> 'deleted'`,
  )
}

/** A key of an organization. */
function readKey(
  reader: Reader,
  { id, tenant_id }: Principal,
): Promise<Static<typeof Row> | undefined> {
  return reader.maybe(
    Row,
    sql`
      select k.id, k.tenant_id, 'person' as kind, '{}'::jsonb as profile, '{}'::jsonb as metadata,
        null as email, null as email_normalized, k.state as status,
        null as verified_at, k.name as display_name, null as locale, k.created_at, k.version,
        null as session, jsonb_build_array(jsonb_build_object('id', t.id, 'slug', t.slug)) as tenants,
        array[]::text[] as roles, array[]::text[] as factors
      from identity.api_keys k join identity.tenants t on t.id = k.tenant_id
      where k.tenant_id = ${tenant_id} and k.id = ${id} and k.account_id is null`,
  )
}

async function grantsOf(
  reader: Reader,
  deps: Pick<Deps, 'access' | 'permissions' | 'kernel'>,
  principal: Principal,
): Promise<AccountGrants> {
  if (principal.kind === 'account') return readGrants(reader, deps, principal)
  return { held: await deps.access.grants(reader, principal), withheld: new Set() }
}
