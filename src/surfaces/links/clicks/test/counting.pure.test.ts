/** The parts of the way of a click that need nothing outside: contexts, batches, frames, sums. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dayOf, dayText, isId, newId } from '#dodeca/kernel'
import { openAgents } from '../agents.ts'
import { sumsOf } from '../../statistics/add-up.ts'
import { countsOf, type BatchCounts } from '../../statistics/batch-counts.ts'
import { BatchBuilder, eventId, type Batch } from '../batch.ts'
import { languageOf, openContexts, sourceOf } from '../context.ts'
import { framesIn, fromFrame, toFrame } from '../frames.ts'
import { Taken } from '../taken.ts'
import { keys_max, other_key, Tally } from '../../statistics/tally.ts'
import type { Visitor } from '../visitor.ts'

const clicked = { domain_id: newId(), code: 'abc' }
const plain: Visitor = {
  agent: '',
  referrer: '',
  language: '',
  country: '',
  address: '',
  query: '',
  private: false,
  prefetch: false,
  head: false,
}
const phone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1'

function contextOf(visit: Partial<Visitor>): unknown {
  const agents = openAgents()
  agents.allow(10)
  return JSON.parse(openContexts(agents).of({ ...plain, ...visit }))
}

describe('a context', () => {
  test('is coarse', () => {
    const seen = {
      agent: phone,
      referrer: 'https://mail.google.co.uk/mail/u/0/?secret=1',
      language: 'de-CH,de;q=0.9,en;q=0.8',
      address: '8.8.8.8',
      query: 'a=b&s=qr',
    }
    expect(contextOf(seen)).toEqual({
      country: 'US',
      device: 'mobile',
      os: 'iOS',
      browser: 'Safari',
      referrer: 'google.co.uk',
      language: 'de',
      source: 'qr',
      bot: false,
    })
  })

  test('uses the trusted header for the country first, and none if unknown', () => {
    expect(contextOf({ agent: phone, country: 'CH', address: '8.8.8.8' })).toMatchObject({
      country: 'CH',
    })
    for (const address of ['::1', '2a00:1450:4001::1', '10.0.0.1', '']) {
      expect(contextOf({ agent: phone, address })).not.toHaveProperty('country')
    }
  })

  test.for([
    ['no agent', {}],
    [
      'a crawler',
      { agent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
    ],
    ['a program', { agent: 'curl/8.5.0' }],
    ['a look without a body', { agent: phone, head: true }],
  ] as const)('of %s is a bot', ([, visit]) => {
    expect(contextOf(visit)).toMatchObject({ bot: true })
  })

  test('of a prefetch is a bot, and says why', () => {
    expect(contextOf({ agent: phone, prefetch: true })).toMatchObject({ bot: true, prefetch: true })
  })

  test('of who asks not to be tracked tells nothing', () => {
    const visit = { agent: phone, address: '8.8.8.8', language: 'de', private: true }
    expect(contextOf(visit)).toEqual({ bot: false })
    expect(contextOf({ ...visit, head: true })).toEqual({ bot: true })
  })

  test('never holds what it was made from', () => {
    const words = fc.string({ unit: 'grapheme', minLength: 8, maxLength: 200 })
    fc.assert(
      fc.property(words, words, words, fc.ipV4(), (agent, referrer, language, address) => {
        const text = JSON.stringify(contextOf({ agent, referrer, language, address }))
        expect(text).not.toContain(address)
        expect(text).not.toContain(JSON.stringify(agent).slice(1, -1))
        expect(text.length).toBeLessThan(400)
      }),
    )
  })

  test.each([
    'john.doe@example.com/1.0 (x)',
    'AcmeInternalApp-user-4711/2.3 (iPhone; secret)',
    'CorpApp jane@corp.example/5.0 Build',
    'My Phone 0123/4.5 CFNetwork/1410 Darwin/22.6.0',
  ])('of an unknown agent (%s) contains no word of it', agent => {
    expect(contextOf({ agent })).not.toHaveProperty('browser')
    for (const word of agent.split(/[ /(;]+/).filter(part => part.length > 5)) {
      expect(JSON.stringify(contextOf({ agent }))).not.toContain(word)
    }
  })

  test('of invented agents costs a bounded number of parses', () => {
    const agents = openAgents()
    agents.allow(1)
    expect([agents.classOf(phone).os, agents.classOf(`${phone} 2`).os]).toEqual(['iOS', ''])
    expect(agents.classOf(phone).os).toBe('iOS')
  })

  test('takes the first language and a plain source', () => {
    expect(['de-CH,en', 'EN', '*', '', 'deutsch', '1'].map(languageOf)).toEqual([
      'de',
      'en',
      '',
      '',
      '',
      '',
    ])
    expect(['s=qr', 'x=1&s=poster_2&y', 'ss=qr', 's=<b>', 's='].map(sourceOf)).toEqual([
      'qr',
      'poster_2',
      '',
      '',
      '',
    ])
  })
})

const contexts = ['{"bot":false}', '{"bot":true}', '{"country":"DE","bot":false}']
const clicks = fc.array(
  fc.record({
    link: fc.integer({ min: 0, max: 3 }),
    context: fc.constantFrom(...contexts),
    at_ms: fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2026, 0, 4) }),
  }),
  { minLength: 1, maxLength: 200 },
)
const links = ['aaa', 'bbb', 'ccc', 'ddd'].map(code => ({ domain_id: clicked.domain_id, code }))

function batchOf(given: { link: number; context: string; at_ms: number }[]): Batch {
  const builder = new BatchBuilder()
  for (const { link, context, at_ms } of given) builder.add(links[link] ?? clicked, context, at_ms)
  return builder.build(newId())
}

describe('a batch', () => {
  test('sums up to what is in it', () => {
    fc.assert(
      fc.property(fc.array(clicks, { minLength: 1, maxLength: 3 }), portions => {
        const counts = portions.map(one => JSON.parse(countsOf(batchOf(one))) as BatchCounts)
        const sums = sumsOf(counts)
        const all = portions.flat()
        for (const { code, day, tally } of sums) {
          const mine = all.filter(
            one => links[one.link]?.code === code && dayText(dayOf(one.at_ms)) === day,
          )
          const people = mine.filter(({ context }) => !context.includes('true'))
          const german = mine.filter(({ context }) => context.includes('DE')).length
          expect([tally.clicks, tally.bots]).toEqual([people.length, mine.length - people.length])
          expect(tally.dimensions()).toEqual(german > 0 ? { country: { DE: german } } : {})
        }
        const total = sums.reduce((sum, { tally }) => sum + tally.clicks + tally.bots, 0)
        expect(total).toBe(all.length)
      }),
    )
  })

  test('counts a click on the day on which it was made', () => {
    const at = (text: string) => dayText(dayOf(Date.parse(text)))
    expect(at('2026-01-01T23:59:59.999Z')).toBe('2026-01-01')
    expect(at('2026-01-02T00:00:00.000Z')).toBe('2026-01-02')
  })

  test('names its events in order of their time, each its own and always alike', () => {
    const at_ms = Date.UTC(2026, 5, 1)
    const [one, another] = [newId(), newId()]
    // Two processes whose clocks are three seconds apart.
    const ids = [one, another].flatMap((batch, process) =>
      Array.from({ length: 1000 }, (_, place) =>
        eventId(batch, at_ms + process * 3000 + place, place),
      ),
    )
    expect(ids.every(isId)).toBe(true)
    expect(new Set(ids).size).toBe(2000)
    expect(ids.toSorted()).toEqual(ids)
    expect(eventId(one, at_ms, 7)).toBe(
      ids[7]?.replace(/^.{13}/, eventId(one, at_ms, 7).slice(0, 13)),
    )
  })
})

describe('frames', () => {
  test('come back as they were', () => {
    fc.assert(
      fc.property(fc.array(clicks, { maxLength: 4 }), portions => {
        const batches = portions.map(batchOf)
        expect([...framesIn(Buffer.concat(batches.map(toFrame)))]).toEqual(batches)
      }),
    )
  })

  test('that cannot be read are passed over, and named', () => {
    const batches = [batchOf([{ link: 0, context: contexts[0] ?? '', at_ms: 1 }]), batchOf([])]
    const [first = Buffer.alloc(0), second = Buffer.alloc(0)] = batches.map(toFrame)
    const both = Buffer.concat([first, second])
    // A process died while it wrote the second one.
    for (let bytes = first.length + 1; bytes < both.length; bytes++) {
      expect([...framesIn(both.subarray(0, bytes))]).toEqual([batches[0], null])
    }
    const broken = Buffer.from(both)
    broken.writeUInt8(broken.readUInt8(20) ^ 1, 20)
    expect([...framesIn(broken)]).toEqual([null, batches[1]])
    expect(fromFrame(Buffer.alloc(4))).toBeNull()
  })

  test('of a disk that lost its power are zeros, and end there', () => {
    const batch = batchOf([{ link: 0, context: contexts[0] ?? '', at_ms: 1 }])
    expect([...framesIn(Buffer.alloc(4096))]).toEqual([null])
    expect([...framesIn(Buffer.concat([toFrame(batch), Buffer.alloc(64)]))]).toEqual([batch, null])
  })
})

describe('a sum', () => {
  test('keeps a bounded number of keys, and those that it had', () => {
    const before = new Tally()
    for (let key = 0; key < keys_max; key++) before.add({ referrer: `r${key}.test`, bot: false }, 1)
    const later = new Tally()
    later.add({ referrer: 'new.test', bot: false }, 5)
    later.add({ referrer: 'r7.test', bot: false }, 2)
    const { referrer = {} } = later.onTopOf(before.dimensions())
    expect(Object.keys(referrer)).toHaveLength(keys_max + 1)
    expect([referrer['r7.test'], referrer['new.test'], referrer[other_key]]).toEqual([
      3,
      undefined,
      5,
    ])
  })

  test('takes any word for a key', () => {
    const tally = new Tally()
    for (const source of ['__proto__', 'constructor', 'toString'])
      tally.add({ source, bot: false }, 1)
    const text = JSON.stringify(tally.onTopOf(tally.dimensions()))
    expect(text).toBe('{"source":{"__proto__":2,"constructor":2,"toString":2}}')
  })
})

test('clicks come out as they went in, whatever was in their place before', () => {
  const visitors = [plain, { ...plain, agent: phone }]
  const links = [clicked, { ...clicked, code: 'def' }]
  const one = fc.tuple(fc.constantFrom(...links), fc.constantFrom(...visitors), fc.nat())
  fc.assert(
    fc.property(fc.array(fc.array(one)), rounds => {
      const taken = new Taken()
      for (const round of rounds) {
        for (const [link, visitor, at_ms] of round) taken.add(link, visitor, at_ms)
        expect([taken.size, taken.first_ms]).toEqual([round.length, round[0]?.[2] ?? null])
        const out: unknown[] = []
        taken.drain((...click) => out.push(click))
        expect(out).toEqual(round)
      }
      expect(taken.size).toBe(0)
    }),
  )
})
