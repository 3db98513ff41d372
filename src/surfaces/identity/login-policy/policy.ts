/**
 * The log-in policy of a tenant: in which ways people log in, whether a second factor or the provider
 * of the organization is required, and for how long a session works. It is checked by one function of
 * the database (`identity.login_refusal`) when a session begins, is refreshed or turned to the tenant.
 */
import { Type, type Static } from 'typebox'
import { closed, nullable, sql, type Principal, type Reader, type Sql } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { merged, unfit } from '../profiles/profile.ts'

const rules = {
  password: Type.Boolean(),
  code: Type.Boolean(),
  passkey: Type.Boolean(),
  providers: Type.Boolean(),
  require_sso: Type.Boolean(),
  require_mfa: Type.Boolean(),
  session_max_seconds: Type.Integer({ minimum: 300, maximum: 400 * 86_400 }),
} as const

export const LoginPolicy = Type.Partial(Type.Object(rules), { title: 'LoginPolicy' })
export type LoginPolicy = Static<typeof LoginPolicy>

/** A merge patch: null stands for no rule. */
export const ChangeLoginPolicy = closed({
  password: Type.Optional(nullable(rules.password)),
  code: Type.Optional(nullable(rules.code)),
  passkey: Type.Optional(nullable(rules.passkey)),
  providers: Type.Optional(nullable(rules.providers)),
  require_sso: Type.Optional(nullable(rules.require_sso)),
  require_mfa: Type.Optional(nullable(rules.require_mfa)),
  session_max_seconds: Type.Optional(nullable(rules.session_max_seconds)),
})

export const refusals = [
  'sso_required',
  'second_factor_required',
  'login_method_not_allowed',
  'session_too_old',
] as const
export const Refusal = Type.Unsafe<(typeof refusals)[number]>({
  type: 'string',
  enum: [...refusals],
})

export function isRefusal(code: string): boolean {
  return (refusals as readonly string[]).includes(code)
}

/** When the session `s` was logged in. That of an application was logged in in the browser. */
export const loggedInAt = sql`(case when s.client_id is null then s.created_at else s.auth_time end)`

/** As a column: the code of the refusal of the session `s` in the tenant, or null. */
export function refusalIn(tenant: Sql): Sql {
  return sql`
    case when ${tenant}.login is not null then identity.login_refusal(${tenant}.login, ${tenant}.id,
      s.account_id, s.aal, s.amr, s.scope, s.connection_id, ${loggedInAt}) end`
}

/** As a column: when a session that began then ends, where it works in a tenant with this policy. */
export function endsBy(expires_at: Sql, began_at: Sql, login: Sql): Sql {
  return sql`least(${expires_at},
    ${began_at} + make_interval(secs => (${login} -> 'session_max_seconds')::int))`
}

export function changedPolicy(
  before: LoginPolicy | null,
  change: Static<typeof ChangeLoginPolicy> | null,
): LoginPolicy | null {
  const policy: LoginPolicy = change === null ? {} : (merged(before, change) as LoginPolicy)
  return Object.keys(policy).length > 0 ? policy : null
}

/** Refuses a policy with which nobody could log in, or the caller could not stay. */
export async function requireUsable(
  reader: Reader,
  tenant_id: string,
  policy: LoginPolicy,
  principal: Principal,
): Promise<void> {
  const { password, code, passkey, providers, require_sso } = policy
  if ([password, code, passkey, providers].every(allowed => allowed === false)) {
    throw unfit('/login', 'minItems', 'Allow one way to log in at least.')
  }
  if (require_sso && (providers === false || !(await hasConnection(reader, tenant_id)))) {
    throw unfit(
      '/login/require_sso',
      'connection',
      'Create a connection to the identity provider first (`POST /v1/connections`), and do not refuse `providers`.',
    )
  }
  if (principal.tenant_id !== tenant_id || principal.session_id === null) return
  const own = await reader.maybe(
    Type.Object({ refusal: nullable(Refusal) }),
    sql`
      select identity.login_refusal(${sql.json(policy)}::jsonb, ${tenant_id}, s.account_id, s.aal,
        s.amr, s.scope, s.connection_id, s.created_at) as refusal
      from identity.sessions s
      where s.id = ${principal.session_id} and s.account_id = ${principal.id}`,
  )
  if (!own?.refusal) return
  const detail =
    'This policy would refuse your own session. Log in as it requires, or with a second factor, then send the change again.'
  throw problem(own.refusal, { detail })
}

async function hasConnection(reader: Reader, tenant_id: string): Promise<boolean> {
  const { it } = await reader.one(
    Type.Object({ it: Type.Boolean() }),
    sql`
      select exists (select from identity.connections where tenant_id = ${tenant_id}
        and state = 'active' and deleted_at is null) as it`,
  )
  return it
}
