/** The product beside the providers of the sandbox, and people who come through them. */
import {
  openProductWorld,
  type Member,
  type ProductWorld,
  type Tenant,
} from '../../../../test/product-world.ts'
import { shared } from '../../../../test/shared.ts'
import type { Answer } from '../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import { presets, type PresetName } from '../connections/presets.ts'
import { movedTo } from '../connections/sandbox.ts'
import { answered, application, Browser, isApplication, type Page } from './oidc-browser.ts'

export const home = 'http://dodeca.test'
const stopHere = (next: string): boolean => next.startsWith(home)

export type Who = {
  readonly email?: string
  readonly name?: string
  readonly subject?: string
  /** Whether the provider says that it has verified the address. */
  readonly verified?: boolean
  readonly claims?: object
}

type Came = { readonly ticket: string | null; readonly error: string | null }

export type SignInWorld = ProductWorld & {
  browse(): Browser
  /** As far as the way back, which is not gone yet. */
  away(browser: Browser, provider: string, who: Who, more?: object): Promise<Page>
  /** The same for a login that a page of the platform begins. */
  atProvider(browser: Browser, begins: string, who: Who): Promise<Page>
  come(provider: string, who: Who, more?: object): Promise<Came>
  redeem(ticket: string | null): Promise<Answer>
  fault(rule: object): Promise<void>
  /** An administrator of a tenant, of a new one unless it is given. */
  admin(tenant?: Tenant): Promise<Member>
  /** What connects a preset to the sandbox. */
  played(preset: PresetName, more?: object): object
  connect(admin: Member, preset: PresetName, more?: object): Promise<string>
  /** The tenant has proven this domain. */
  own(tenant: Tenant, domain: string): Promise<void>
}

/** Without settings: the world that the files share. */
export async function openSignInWorld(settings?: Record<string, string>): Promise<SignInWorld> {
  if (settings) return await openOwnWorld(settings)
  const world = await shared('product with the sandbox to sign in', () => openOwnWorld({}))
  return { ...world, close: () => Promise.resolve() }
}

async function openOwnWorld(settings: Record<string, string>): Promise<SignInWorld> {
  const world = await openProductWorld({ IDENTITY_REDIRECT_URIS: application, ...settings })
  const { db } = world.platform.kernel
  const vendor = world.vendors['sign_in'] ?? {}
  const played: SignInWorld['played'] = (preset, more = {}) => {
    const known = presets[preset]
    const { client_id = '', client_secret = '' } = vendor
    const base = vendor[preset] ?? ''
    return {
      name: known.title,
      preset,
      client_id,
      client_secret,
      ...(known.kind === 'oidc' ? { issuer: base } : { endpoints: movedTo(base, known.endpoints) }),
      ...more,
    }
  }
  const places = { [home]: world.url }
  const browse = () => new Browser(places)
  const away: SignInWorld['away'] = async (browser, provider, who, more = {}) => {
    const begun = await browser.open(`${home}/v1/oidc/${provider}/authorizations`, {
      json: { redirect_uri: application, ...more },
    })
    if (begun.status !== 201) throw new Error(`${begun.status} ${begun.text}`)
    return await agree(browser, JSON.parse(begun.text).authorization_url, who, places)
  }
  return {
    ...world,
    browse,
    away,
    atProvider: async (browser, begins, who) => {
      const begun = await browser.open(begins)
      return await agree(browser, begun.headers.get('location') ?? '', who, places)
    },
    come: async (provider, who, more) => {
      const browser = browse()
      const { url } = await away(browser, provider, who, more)
      const page = await browser.follow(url)
      if (!isApplication(page.url)) throw new Error(`${page.url}: ${page.status} ${page.text}`)
      return { ticket: answered(page, 'ticket'), error: answered(page, 'error') }
    },
    redeem: oidc_ticket => world.call('POST', '/v1/sessions', { body: { oidc_ticket } }),
    fault: async rule => {
      await fetch(`${vendor['control']}faults`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(rule),
      })
    },
    admin: async tenant => {
      const member = await world.member(tenant)
      await world.give(member, 'tenant_admin')
      return member
    },
    played,
    connect: async (admin, preset, more) => {
      const body = played(preset, more)
      const made = await world.call('POST', '/v1/connections', { token: admin.token, body })
      if (made.status !== 201) throw new Error(`${made.status} ${made.text}`)
      return made.body.id
    },
    own: async (tenant, domain) => {
      await db.run(sql`
        insert into identity.organization_domains (tenant_id, id, domain, state, record_value)
        values (${tenant.id}, ${newId()}, ${domain}, 'verified', '')`)
    },
  }
}

/** Logs in at the provider, up to the address to which it leads back. */
async function agree(
  browser: Browser,
  url: string,
  who: Who,
  places: Readonly<Record<string, string>>,
): Promise<Page> {
  const { email, name, subject, verified = true, claims = {} } = who
  const form = {
    ...(email ? { email } : {}),
    ...(name ? { name } : {}),
    ...(subject ? { subject } : {}),
    ...(verified ? { verified: 'yes' } : {}),
    claims: JSON.stringify(claims),
  }
  const page = await browser.follow(url, stopHere, { form })
  return page.status === 200 ? await postBack(page, places) : page
}

function formOf({ text }: Page): { action: string; form: Record<string, string> } {
  const unescaped = (value: string) => value.replaceAll('&quot;', '"').replaceAll('&amp;', '&')
  const [, action = ''] = /action="([^"]+)"/.exec(text) ?? []
  const fields = [...text.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)]
  const form = fields.map(([, name = '', value = '']) => [name, unescaped(value)] as const)
  return { action: unescaped(action), form: Object.fromEntries(form) }
}

/** A form of another site is sent without cookies. Its reply leads the browser on. */
async function postBack(page: Page, places: Readonly<Record<string, string>>): Promise<Page> {
  const { action, form } = formOf(page)
  const stored = await new Browser(places).open(action, { form })
  const [, path = ''] = /content="0;url=([^"]+)"/.exec(stored.text) ?? []
  return { ...stored, url: home + path.replaceAll('&amp;', '&') }
}
