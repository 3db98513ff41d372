/**
 * The ways to log in that a log-in page offers. They depend on the tenant, never on an account, so
 * the reply tells nothing about an address.
 */
import { Type, type Static } from 'typebox'
import { closed, nullable, type Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { Email, Slug } from '../schemas.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { resolveTenant } from '../tenants/resolve-tenant.ts'

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
    connections: Type.Array(Type.Object({ name: Type.String() }), { maxItems: 100 }),
    /** The connection that the domain of the address requires. */
    sso: nullable(Type.String()),
  },
  { title: 'LoginOptions' },
)
type LoginOptions = Static<typeof LoginOptions>

export async function loginOptions(
  reader: Reader,
  { kernel, oidc }: Pick<Deps, 'kernel' | 'oidc'>,
  { tenant }: Static<typeof AskLoginOptions>,
  { headers }: Seen,
): Promise<LoginOptions> {
  await resolveTenant(reader, kernel, tenant, headers['host'])
  const codes = kernel.settings['identity.login_codes']
  return {
    methods: ['password', 'passkey', ...(codes ? (['code'] as const) : [])],
    connections: oidc.names.map(name => ({ name })),
    sso: null,
  }
}
