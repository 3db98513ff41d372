/** A log-in at a provider by the account pages, in the browser that began it and in others. */
import { afterAll, describe, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import type { Browser, Page } from '../../test/oidc-browser.ts'
import { logInThere } from '../../test/oidc-real-provider.ts'
import { home, openOidcWorld } from '../../test/oidc-world.ts'

const world = await openOidcWorld()
afterAll(() => world.close())

const back = (url: string) => url.startsWith(`${home}/account/provider?`)

/** Presses the button of the page, logs in at the provider, and stops before the way back. */
async function atProvider(browser: Browser, sub: string, query = ''): Promise<Page> {
  const page = await browser.open(`${home}/account/login${query}`)
  const [, path = ''] = /href="(\/account\/provider\?provider=trusted[^"]*)"/.exec(page.text) ?? []
  const begun = await browser.open(home + path.replaceAll('&amp;', '&'))
  expect(begun.status).toBe(303)
  return logInThere(browser, begun.headers.get('location') ?? '', sub, back)
}

describe.concurrent('a log-in at a provider by the account pages', () => {
  test('creates an account, and leads to the page that was asked for', async () => {
    const browser = world.browse()
    const { sub, email } = world.someone()
    const { url } = await atProvider(browser, sub, '?next=%2Fdocs%2Fdodeca.py%3Fv%3D1.2')
    const arrived = await browser.open(url)
    expect([arrived.status, arrived.headers.get('location')]).toEqual([
      303,
      '/docs/dodeca.py?v=1.2',
    ])
    expect((await browser.open(`${home}/account/`)).text).toContain(email)
    expect((await browser.open(url)).text).toContain('did not lead to an account')
  })

  test('works only in the browser that began it', async () => {
    const thief = world.browse()
    const { url } = await atProvider(thief, world.someone().sub)
    const victim = world.browse()
    await atProvider(victim, world.someone().sub)
    const refused = await victim.open(url)
    expect(refused.text).toContain('did not lead to an account')
    const home_page = await victim.open(`${home}/account/`)
    expect(home_page.headers.get('location')).toContain('/account/login')
  })

  test('says that it failed for an unknown provider, a refusal and an address of another', async () => {
    const browser = world.browse()
    const unknown = await browser.open(`${home}/account/provider?provider=nobody`)
    const refused = await browser.open(`${home}/account/provider?error=access_denied&state=x`)
    const { email, tenant } = await world.member()
    const stranger = newId()
    world.provider.people.set(stranger, { email, email_verified: false })
    const { url } = await atProvider(browser, stranger, `?tenant=${tenant.slug}`)
    for (const { text } of [unknown, refused, await browser.open(url)]) {
      expect(text).toContain('did not lead to an account')
    }
  })

  test('changes nothing by HEAD', async () => {
    const reply = await fetch(`${world.url}/account/provider?provider=trusted`, { method: 'HEAD' })
    expect([reply.status, reply.headers.get('set-cookie')]).toEqual([405, null])
  })
})
