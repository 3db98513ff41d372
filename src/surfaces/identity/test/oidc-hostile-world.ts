/** The product beside a provider whose answers a test bends; each test has a person of its own. */
import { Type } from 'typebox'
import { beforeEach, expect } from 'vitest'
import { openProductWorld, type ProductWorld } from '../../../../test/product-world.ts'
import { newId, sql } from '#dodeca/kernel'
import { answered, application, Browser } from './oidc-browser.ts'
import { startHostileProvider, type Bend, type HostileProvider } from './oidc-hostile-provider.ts'

const home = 'http://dodeca.test'
export const stopHere = (next: string): boolean => next.startsWith(home)

export type Victim = { readonly email: string; readonly honest: Bend }

export type HostileWorld = ProductWorld & {
  readonly provider: HostileProvider
  /** It describes itself as the test says. */
  readonly inward: HostileProvider
  /** Of this test, and how the provider would honestly speak of them. */
  victim(): Victim
  browse(): Browser
  /** As far as the way back, which is not gone yet. */
  away(browser: Browser, name?: string): Promise<string>
  come(name?: string): Promise<{ ticket: string | null; error: string | null }>
  latestFailure(): Promise<unknown>
  close(): Promise<void>
}

/** The providers `hostile` and `other` (the same one), `inward`, and `gone`, which is down. */
export async function openHostileWorld(): Promise<HostileWorld> {
  const provider = await startHostileProvider()
  const inward = await startHostileProvider()
  const gone = await startHostileProvider()
  await gone.close()
  const entry = (name: string, issuer: string) => ({
    name,
    issuer,
    client_id: 'dodeca',
    trust_email: true,
  })
  const world = await openProductWorld({
    IDENTITY_OIDC_PROVIDERS: JSON.stringify([
      entry('hostile', provider.issuer),
      entry('other', provider.issuer),
      entry('inward', inward.issuer),
      entry('gone', gone.issuer),
    ]),
    IDENTITY_REDIRECT_URIS: application,
  })
  let victim: Victim = { email: '', honest: {} }
  beforeEach(() => {
    const sub = newId()
    const email = `${sub}@example.test`
    victim = { email, honest: { claims: { sub, email, email_verified: true } } }
    provider.bend = victim.honest
  })
  const browse = () => new Browser({ [home]: world.url })
  const away: HostileWorld['away'] = async (browser, name = 'hostile') => {
    const page = await browser.open(`${home}/v1/oidc/${name}/authorizations`, {
      json: { redirect_uri: application },
    })
    expect(page.status).toBe(201)
    const { authorization_url } = JSON.parse(page.text)
    return (await browser.follow(authorization_url, stopHere)).url
  }
  return {
    ...world,
    provider,
    inward,
    victim: () => victim,
    browse,
    away,
    come: async name => {
      const browser = browse()
      const page = await browser.follow(await away(browser, name))
      return { ticket: answered(page, 'ticket'), error: answered(page, 'error') }
    },
    latestFailure: async () => {
      const { safe_context } = await world.platform.kernel.db.one(
        Type.Object({ safe_context: Type.Unknown() }),
        sql`
          select safe_context from identity.security_events where action = 'oidc.failed'
          order by id desc limit 1`,
      )
      return safe_context
    },
    close: async () => {
      await world.close()
      await provider.close()
      await inward.close()
    },
  }
}
