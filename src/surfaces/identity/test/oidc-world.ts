/** The product beside a real OpenID provider, and people who come through it. */
import {
  openProductWorld,
  type Member,
  type ProductWorld,
  type Tenant,
} from '../../../../test/product-world.ts'
import { shared } from '../../../../test/shared.ts'
import type { Answer } from '../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import { answered, application, Browser, type Page } from './oidc-browser.ts'
import {
  logInThere,
  startRealProvider,
  type Person,
  type RealProvider,
} from './oidc-real-provider.ts'

export const home = 'http://dodeca.test'

export type Begin = {
  readonly name?: string
  readonly tenant?: Tenant
  readonly token?: string
  readonly more?: object
}

export type Returned = {
  readonly ticket: string | null
  readonly error: string | null
  readonly state: string | null
}

export type OidcWorld = ProductWorld & {
  readonly provider: RealProvider
  browse(): Browser
  /** A person whom the provider knows. */
  someone(claims?: Partial<Person>): { sub: string; email: string }
  begin(browser: Browser, how?: Begin): Promise<{ page: Page; body: Answer['body'] }>
  /** The whole way; answers what the application receives. */
  come(sub: string, how?: Begin): Promise<Returned>
  redeem(ticket: string | null): Promise<Answer>
  /** The mailbox of the account is proven. */
  prove(member: Pick<Member, 'email'>): Promise<void>
}

/** The providers `trusted`, `plain` (its word on addresses does not count) and `strange` (whose secret is wrong). */
export async function openOidcWorld(settings?: Record<string, string>): Promise<OidcWorld> {
  if (settings) return await openOwnWorld(settings)
  const world = await shared('product with OpenID providers', () => openOwnWorld({}))
  return { ...world, close: () => Promise.resolve() }
}

async function openOwnWorld(settings: Record<string, string>): Promise<OidcWorld> {
  const provider = await startRealProvider(home, ['trusted', 'plain', 'strange'])
  const entry = (name: string, more: object) => ({
    name,
    issuer: provider.issuer,
    client_id: name,
    client_secret: provider.client_secret,
    ...more,
  })
  const world = await openProductWorld({
    IDENTITY_OIDC_PROVIDERS: JSON.stringify([
      entry('trusted', { trust_email: true }),
      entry('plain', {}),
      entry('strange', { client_secret: 'not the secret that the provider knows' }),
    ]),
    IDENTITY_REDIRECT_URIS: `${application},${application}?from=oidc`,
    ...settings,
  })
  const browse = () => new Browser({ [home]: world.url })
  const begin: OidcWorld['begin'] = async (browser, how = {}) => {
    const { name = 'trusted', tenant, token, more } = how
    const page = await browser.open(`${home}/v1/oidc/${name}/authorizations`, {
      json: { redirect_uri: application, ...(tenant ? { tenant: tenant.slug } : {}), ...more },
      ...(token ? { token } : {}),
    })
    return { page, body: JSON.parse(page.text) }
  }
  return {
    ...world,
    provider,
    browse,
    begin,
    someone: (claims = {}) => {
      const sub = newId()
      const email = claims.email ?? `${sub}@example.test`
      provider.people.set(sub, { email, email_verified: true, name: 'Ada Lovelace', ...claims })
      return { sub, email }
    },
    come: async (sub, how) => {
      const browser = browse()
      const { body } = await begin(browser, how)
      const page = await logInThere(browser, body.authorization_url, sub)
      return {
        ticket: answered(page, 'ticket'),
        error: answered(page, 'error'),
        state: answered(page, 'state'),
      }
    },
    redeem: oidc_ticket => world.call('POST', '/v1/sessions', { body: { oidc_ticket } }),
    prove: async ({ email }) => {
      await world.platform.kernel.db.run(
        sql`update identity.accounts set verified_at = kernel.now() where email = ${email}`,
      )
    },
    close: async () => {
      await world.close()
      await provider.close()
    },
  }
}
