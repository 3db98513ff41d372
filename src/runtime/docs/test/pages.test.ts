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

test('every page is Markdown too, and its links lead to Markdown', async () => {
  const lead = async (path: string): Promise<string[]> => {
    const answer = await fetch(new URL(path, world.url))
    expect([path, answer.status]).toEqual([path, 200])
    expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    const text = await answer.text()
    return [...text.matchAll(/\]\((\/docs\/[^)#\s]+\.md)/g)].map(([, at = '']) => at)
  }
  const read = new Set<string>()
  const open = await lead('/llms.txt')
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (read.has(at)) continue
    read.add(at)
    open.push(...(await lead(at)))
  }
  expect(read.size).toBeGreaterThan(50)
})
