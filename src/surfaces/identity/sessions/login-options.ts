/**
 * The ways to log in that a log-in page offers. They depend on the tenant, never on an account, so
 * the reply tells nothing about an address.
 */
import { Type, type Static } from 'typebox'
import { closed, nullable, type Reader } from '#dodeca/kernel'
import { Captcha, captchaOf } from '../captcha/require-captcha.ts'
import { connectionOfDomain, DomainConnection } from '../connections/owns-domain.ts'
import type { Deps } from '../deps.ts'
import { Email, Slug } from '../schemas.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { resolveTenant, slugMeant } from '../tenants/resolve-tenant.ts'

export const AskLoginOptions = closed({
  email: Type.Optional(Email),
  tenant: Type.Optional(Slug),
})

export const LoginOptions = Type.Object(
  {
    methods: Type.Array(
      Type.Union([Type.Literal('password'), Type.Literal('passkey'), Type.Literal('code')]),
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
type LoginOptions = Static<typeof LoginOptions>

export async function loginOptions(
  reader: Reader,
  { kernel, oidc }: Pick<Deps, 'kernel' | 'oidc'>,
  { email, tenant }: Static<typeof AskLoginOptions>,
  { headers }: Seen,
): Promise<LoginOptions> {
  const { host } = headers
  const { signup } = await resolveTenant(reader, kernel, tenant, host)
  const slug = slugMeant(kernel, tenant, host)
  const codes = kernel.settings['identity.login_codes']
  return {
    methods: ['password', 'passkey', ...(codes ? (['code'] as const) : [])],
    connections: [...(await oidc.offered(reader, slug))],
    sso: (email === undefined ? null : await connectionOfDomain(reader, email)) ?? null,
    captcha: captchaOf({ kernel }),
    anonymous: kernel.settings['identity.anonymous'] && signup === 'open',
  }
}
