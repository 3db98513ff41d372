/**
 * The ways to log in that a log-in page offers. They depend on the tenant and its policy, never on an
 * account, so the reply tells nothing about an address. Administrators with a second factor may use
 * others.
 */
import { Type, type Static } from 'typebox'
import { closed, isId, nullable, type Reader } from '#dodeca/kernel'
import { Captcha, captchaOf } from '../captcha/require-captcha.ts'
import { connectionOfDomain, DomainConnection } from '../connections/owns-domain.ts'
import type { Deps } from '../deps.ts'
import type { LoginPolicy } from '../login-policy/policy.ts'
import { Email, Slug } from '../schemas.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { resolveTenant, slugMeant } from '../tenants/resolve-tenant.ts'

export const AskLoginOptions = closed({
  email: Type.Optional(Email),
  tenant: Type.Optional(Slug),
})

const methods = ['password', 'passkey', 'code'] as const

export const LoginOptions = Type.Object(
  {
    methods: Type.Array(
      Type.Unsafe<(typeof methods)[number]>({ type: 'string', enum: [...methods] }),
      { maxItems: 10 },
    ),
    connections: Type.Array(Type.Object({ provider: Type.String(), name: Type.String() }), {
      maxItems: 100,
    }),
    /** The provider of the organization that owns the domain of the address. */
    sso: nullable(DomainConnection),
    /** What slows down robots here; null if nothing does. */
    captcha: nullable(Captcha),
    /** Whether visitors get anonymous accounts. */
    anonymous: Type.Boolean(),
  },
  { title: 'LoginOptions' },
)
export type LoginOptions = Static<typeof LoginOptions>

export async function loginOptions(
  reader: Reader,
  { kernel, oidc }: Pick<Deps, 'kernel' | 'oidc'>,
  { email, tenant }: Static<typeof AskLoginOptions>,
  { headers }: Seen,
): Promise<LoginOptions> {
  const { host } = headers
  const { login, signup } = await resolveTenant(reader, kernel, tenant, host)
  return {
    ...(await waysOf(reader, { kernel, oidc }, login, slugMeant(kernel, tenant, host))),
    sso: (email === undefined ? null : await connectionOfDomain(reader, email)) ?? null,
    captcha: captchaOf({ kernel }),
    anonymous: kernel.settings['identity.anonymous'] && signup === 'open',
  }
}

export async function waysOf(
  reader: Reader,
  { kernel, oidc }: Pick<Deps, 'kernel' | 'oidc'>,
  login: LoginPolicy | null,
  slug: string,
): Promise<Pick<LoginOptions, 'methods' | 'connections'>> {
  const { require_sso = false, ...allowed } = login ?? {}
  const codes = kernel.settings['identity.login_codes']
  const offered = allowed.providers === false ? [] : await oidc.offered(reader, slug)
  return {
    methods: require_sso
      ? []
      : methods.filter(one => allowed[one] !== false && (codes || one !== 'code')),
    // With `require_sso` only those of the tenant itself, which have ids.
    connections: offered.filter(({ provider }) => !require_sso || isId(provider)),
  }
}
