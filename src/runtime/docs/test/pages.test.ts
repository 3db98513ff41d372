/** The pages of the documentation as a browser and as another client get them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openProductWorld, type ProductWorld } from '../../../../test/product-world.ts'

let world: ProductWorld
beforeAll(async () => {
  world = await openProductWorld({ PUBLIC_URL: 'http://127.0.0.1:9123' })
})
afterAll(() => world.close())

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

test.each(['getting-started', 'requests', 'client'])(
  'commands of %s name the address of this platform',
  async name => {
    const page = await (await fetch(`${world.url}/docs/${name}`, { headers: browser })).text()
    expect(page).toContain('http://127.0.0.1:9123')
    expect(page).not.toContain('localhost:8080')
  },
)

test.each(['nothing', 'guides/nothing', 'api/nothing', 'images/nothing.svg'])(
  'an unknown address is a page for browsers and a problem for others: %s',
  async name => {
    const shown = await fetch(`${world.url}/docs/${name}`, { headers: browser })
    expect([shown.status, shown.headers.get('content-type')]).toEqual([
      404,
      'text/html; charset=utf-8',
    ])
    expect(await shown.text()).toContain('<a href="/docs/">all pages</a>')
    const refused = await fetch(`${world.url}/docs/${name}`)
    expect([refused.status, await refused.json()]).toEqual([
      404,
      expect.objectContaining({ code: 'not_found' }),
    ])
  },
)
