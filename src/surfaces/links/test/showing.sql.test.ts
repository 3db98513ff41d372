/** How an owner finds links again, and their pictures. */
import jsQR from 'jsqr'
import { PNG } from 'pngjs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Member } from '../../../../test/product-world.ts'
import { openLinkWorld, type LinkWorld } from './link-world.ts'

let world: LinkWorld
beforeAll(async () => {
  world = await openLinkWorld({})
})
afterAll(() => world.close())

async function made(): Promise<{ who: Member; code: string; path: string }> {
  const who = await world.member()
  const { body } = await world.shorten(who, {})
  return { who, code: body.code, path: `/v1/links/${body.code}` }
}

describe.concurrent('the list', () => {
  test('shows each link once, newest first, over many pages', async () => {
    const who = await world.member()
    const links = Array.from({ length: 45 }, () => ({ destination_url: 'https://example.com/' }))
    const { body } = await world.call('POST', '/v1/links/batches', {
      token: who.token,
      body: { links },
    })
    const seen: string[] = []
    let next: string | null = '/v1/links?limit=10'
    while (next) {
      const page = await world.call('GET', next, { token: who.token })
      seen.push(...page.body.data.map((one: { code: string }) => one.code))
      next = page.body.next_cursor && `/v1/links?limit=10&cursor=${page.body.next_cursor}`
    }
    const codes = body.data.map((one: { code: string }) => one.code)
    expect(seen).toHaveLength(45)
    expect(new Set(seen)).toEqual(new Set(codes))
  })

  test('can be searched', async () => {
    const who = await world.member()
    const sale = await world.shorten(who, { title: 'Spring_sale 50%' })
    const other = await world.shorten(who, { destination_url: 'https://shop.example.org/autumn' })
    await world.call('PATCH', `/v1/links/${other.body.code}`, {
      token: who.token,
      body: { state: 'disabled' },
    })
    const found = async (query: string) => {
      const { body } = await world.call('GET', `/v1/links?${query}`, { token: who.token })
      return body.data.map((one: { code: string }) => one.code)
    }
    expect(await found('q=spring_')).toEqual([sale.body.code])
    expect(await found('q=50%25')).toEqual([sale.body.code])
    expect(await found('q=%25')).toEqual([sale.body.code])
    expect(await found('q=AUTUMN')).toEqual([other.body.code])
    expect(await found(`q=${sale.body.code}`)).toEqual([sale.body.code])
    expect(await found('state=disabled')).toEqual([other.body.code])
    expect(await found('state=active&domain=dodeca.test')).toEqual([sale.body.code])
    const foreign = await world.call('GET', '/v1/links?domain=no.example.com', { token: who.token })
    expect([foreign.status, foreign.body.code]).toEqual([404, 'domain_not_found'])
  })

  test('has a range of time and is CSV, only of own links', async () => {
    const [who, other] = [await world.member(), await world.member()]
    const first = (await world.shorten(who, { title: '=sum' })).body
    const second = (await world.shorten(who, {})).body
    const foreign = (await world.shorten(other, {})).body
    const ask = (query: string, headers = {}) =>
      world.call('GET', `/v1/links?${query}`, { token: who.token, headers })
    const codes = async (query: string) =>
      (await ask(query)).body.data.map((one: { code: string }) => one.code)
    expect(await codes(`since=${second.created_at}`)).toEqual([second.code])
    expect(await codes(`until=${second.created_at}`)).toEqual([first.code])
    const { text } = await ask('q=sum', { accept: 'text/csv' })
    const [header, line, end] = text.replace('\u{feff}', '').split('\r\n')
    expect(header).toMatch(/^code,domain,domain_id,short_url,owner_id,destination_url,state,/)
    expect(header).toContain(',policy.redirect_status,')
    expect(line).toContain(`${first.code},dodeca.test,`)
    expect(line).toContain(`,${first.short_url},`)
    expect(line).toContain(`,'=sum,`)
    expect(end).toBe('')
    const whole = (await ask('', { accept: 'text/csv' })).text
    expect(whole).toContain(second.code)
    expect(whole).not.toContain(foreign.code)
  })
})

test('a list of few among many comes in short pages, and misses none', async () => {
  const strict = await openLinkWorld({
    KERNEL_LIST_LOOK_MAX: '100',
    LINKS_CREATES_PER_MINUTE: '1000',
  })
  try {
    const who = await strict.member()
    const rare = [0, 4, 5, 99, 100, 224, 225]
    for (let from = 0; from < 250; from += 50) {
      const links = Array.from({ length: 50 }, (_, n) => ({
        destination_url: 'https://example.com/',
        // The last of a look among them, and none of the newest.
        ...(rare.includes(from + n) ? { title: `rare ${from + n}` } : {}),
      }))
      await strict.call('POST', '/v1/links/batches', { token: who.token, body: { links } })
    }
    const walk = async (query: string) => {
      const pages: number[] = []
      const titles: (string | null)[] = []
      let next: string | null = `/v1/links?${query}`
      while (next) {
        const { body, headers } = await strict.call('GET', next, { token: who.token })
        pages.push(body.data.length)
        for (const { title } of body.data) titles.push(title)
        expect([body.has_more, headers.has('link')]).toEqual(
          body.next_cursor ? [true, true] : [false, false],
        )
        next = body.next_cursor && `/v1/links?${query}&cursor=${body.next_cursor}`
      }
      return { pages, titles }
    }
    const found = new Set(rare.map(n => `rare ${n}`))
    const listed = await walk('q=rare')
    expect([listed.pages.length, listed.titles.length]).toEqual([3, rare.length])
    expect(new Set(listed.titles)).toEqual(found)
    expect(new Set((await walk('q=rare&limit=1')).titles)).toEqual(found)
    expect((await walk('q=nothing')).pages).toEqual([0, 0, 0])
    // Nothing is asked of them: pages are as full as a look can make them.
    expect((await walk('limit=70')).titles).toHaveLength(250)
  } finally {
    await strict.close()
  }
})

describe.concurrent('the picture', () => {
  test.each([
    [128, 'L', 0],
    [512, 'M', 4],
    [300, 'Q', 10],
    [2048, 'H', 1],
  ])('of %i pixels, correction %s and margin %i leads to the link', async (size, ec, margin) => {
    const { who, path, code } = await made()
    const answer = await fetch(
      `${world.url}${path}/qr?format=png&size=${size}&ec=${ec}&margin=${margin}`,
      { headers: { authorization: `Bearer ${who.token}` } },
    )
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
    const { data, width, height } = PNG.sync.read(Buffer.from(await answer.arrayBuffer()))
    expect([width, height]).toEqual([size, size])
    const read = jsQR.default(new Uint8ClampedArray(data), width, height)
    expect(read?.data).toBe(`http://dodeca.test/${code}?s=qr`)
  })

  test('is drawn as SVG, and not sent again to a client that has it', async () => {
    const { who, path } = await made()
    const first = await world.call('GET', `${path}/qr`, { token: who.token })
    expect(first.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8')
    expect(first.text).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="512"/)
    const etag = first.headers.get('etag') ?? ''
    const again = await world.call('GET', `${path}/qr`, {
      token: who.token,
      headers: { 'if-none-match': etag },
    })
    expect([again.status, again.text]).toEqual([304, ''])
    const other = await world.call('GET', `${path}/qr?size=128`, { token: who.token })
    expect(other.headers.get('etag')).not.toBe(etag)
  })

  test('is of the kind that is accepted, where its address does not say which', async () => {
    const { who, path } = await made()
    const kind = async (accept: string, query = '') => {
      const { headers } = await world.call('GET', `${path}/qr${query}`, {
        token: who.token,
        headers: { accept },
      })
      return [headers.get('content-type'), headers.get('vary')]
    }
    const [svg, png] = ['image/svg+xml; charset=utf-8', 'image/png']
    expect(await kind('image/png')).toEqual([png, 'accept, origin'])
    expect(await kind('image/png;q=0.5, image/svg+xml')).toEqual([svg, 'accept, origin'])
    expect(await kind('image/avif,image/*,*/*;q=0.8')).toEqual([svg, 'accept, origin'])
    expect(await kind('*/*', '?format=png')).toEqual([png, 'accept, origin'])
  })

  test.each(['size=127', 'size=2049', 'format=gif', 'ec=X', 'margin=11'])(
    'is not drawn with %s',
    async query => {
      const { who, path } = await made()
      const answer = await world.call('GET', `${path}/qr?${query}`, { token: who.token })
      expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed'])
    },
  )
})
