/** The logo and the colours of an organization on the account pages. */
import { hash } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import {
  openProductWorld,
  type Member,
  type ProductWorld,
} from '../../../../../test/product-world.ts'
import { loggedIn } from './visitor.ts'

const png =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

let world: ProductWorld
beforeAll(async () => {
  world = await openProductWorld()
})

const change = ({ token }: Member, theme: unknown) =>
  world.call('PATCH', '/v1/organization', { token, body: { theme } })

async function administrator(): Promise<Member & { readonly slug: string }> {
  const member = await world.member()
  await world.allow(member, 'identity.organization.write')
  return { ...member, slug: member.tenant.slug }
}

async function logInPageOf(slug: string) {
  const response = await fetch(`${world.url}/account/login?tenant=${slug}`)
  const html = await response.text()
  const style = /<style>([^]*?)<\/style>/.exec(html)?.[1] ?? ''
  const policy = response.headers.get('content-security-policy') ?? ''
  // A browser applies the style sheet only if the policy has its hash.
  expect(policy).toContain(`'sha256-${hash('sha256', style, 'base64')}'`)
  return { html, style, policy }
}

test('its log-in page and its account pages have its logo and colours, others have not', async () => {
  const boss = await administrator()
  const theme = { logo: png, accent: '#ffdd00', background: '#102030' }
  expect((await change(boss, theme)).body.theme).toEqual(theme)
  const page = await logInPageOf(boss.slug)
  expect(page.html).toContain(`<img src="${png}" alt="`)
  expect(page.style).toContain('--brand: #ffdd00; --on-brand: #000;')
  expect(page.style).toContain('color-scheme: dark; --page: #102030; --on-page: #fff;')
  expect(page.policy).toContain('img-src data:;')
  const browser = await loggedIn(world, boss)
  expect((await browser.open('/account/')).text).toContain('--brand: #ffdd00')
  const other = await logInPageOf((await administrator()).slug)
  expect(other.html).not.toContain('<img')
  expect(other.policy).not.toContain('img-src')
  expect((await change(boss, null)).body.theme).toBeNull()
  expect((await logInPageOf(boss.slug)).style).not.toContain('--brand:')
})

test('that of an organization that no operator trusts is not shown', async () => {
  const boss = await administrator()
  await change(boss, { logo: png })
  await world.platform.kernel.db.run(sql`
    update identity.tenants set trusted = false where slug = ${boss.slug}`)
  expect((await logInPageOf(boss.slug)).html).not.toContain('<img')
})

test('without a theme of its own it looks like the default organization', async () => {
  const boss = await administrator()
  const look = (theme: string | null) =>
    world.platform.kernel.db.run(sql`
      update identity.tenants set theme = ${theme}::jsonb where slug = 'default'`)
  await look('{"accent": "#123456"}')
  expect((await logInPageOf(boss.slug)).style).toContain('--brand: #123456')
  await change(boss, { accent: '#654321' })
  expect((await logInPageOf(boss.slug)).style).toContain('--brand: #654321')
  await look(null)
})

test('an address of a domain with a provider is led there after a wrong password', async () => {
  const boss = await administrator()
  const domain = `${boss.slug}.example`
  await world.platform.kernel.db.run(sql`
    with domain as (insert into identity.organization_domains (tenant_id, id, domain, state, record_value)
      values (${boss.tenant.id}, ${newId()}, ${domain}, 'verified', ''))
    insert into identity.connections (tenant_id, id, name, kind, client_id, trust_email, jit,
      mfa_values, role_map, editor_id)
    values (${boss.tenant.id}, ${newId()}, 'Lamps log-in', 'oidc', '', false, false, '{}', '{}',
      ${boss.id})`)
  const body = new URLSearchParams({ email: `ada@${domain}`, password: 'wrong' })
  const headers = { origin: world.url }
  const sent = await fetch(`${world.url}/account/login`, { method: 'POST', headers, body })
  expect(await sent.text()).toMatch(
    /href="\/account\/provider\?provider=[^"]+"[^>]*>[^<]*Lamps log-in/,
  )
})

test.each([
  [{ logo: 'https://elsewhere.test/a.png' }, '/theme/logo'],
  [{ logo: 'data:image/svg+xml;base64,PHN2Zz4=' }, '/theme/logo'],
  [{ logo: png.replace('iVBOR', 'AAAAA') }, '/theme/logo'],
  [{ logo: `${png}"><script>` }, '/theme/logo'],
  [{ logo: `data:image/png;base64,iVBORw0KGgo${'A'.repeat(90_000)}` }, '/theme/logo'],
  [{ accent: 'red;} body { display: none' }, '/theme/accent'],
  [{ font: 'serif' }, '/theme/font'],
])('%j is refused', async (theme, pointer) => {
  const refused = await change(await administrator(), theme)
  expect(refused.status).toBe(422)
  expect(refused.body.errors[0].pointer).toBe(pointer)
})
