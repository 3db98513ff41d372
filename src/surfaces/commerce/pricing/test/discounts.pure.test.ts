/** Which discounts apply, what buy-get gives, and that no order of lines or codes changes a total. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { discountOf } from '../../rules/views.ts'
import { usual_settings } from '../../rules/schemas.ts'
import type { Known } from '../apply-codes.ts'
import type { LineFacts } from '../load-facts.ts'
import { quote, type Quote } from '../quote.ts'

const now = '2026-06-01T12:00:00.000Z'

const line = (sku: string, amount_minor: number, quantity: number, more: Partial<LineFacts> = {}) =>
  ({
    sku,
    amount_minor,
    quantity,
    product_id: sku,
    title: sku,
    category: '',
    tags: [],
    collections: [],
    tax_class: 'standard',
    purchasable: true,
    requires_shipping: false,
    track_inventory: true,
    max_order_quantity: 999,
    available: 999,
    price_version_id: `v-${sku}`,
    prices_include_tax: false,
    ...more,
  }) satisfies LineFacts

const discount = (code: string, record: object): Known =>
  discountOf({ key: code, record, used: 0, version: 1, updated_at: now })

const price = (lines: readonly LineFacts[], discounts: readonly Known[], codes: string[] = []) =>
  quote(
    {
      currency: 'EUR',
      lines,
      now,
      discount_codes: codes,
      rules: {
        settings: usual_settings,
        shipping_methods: [],
        discounts,
        tax_rules: [
          ['standard', 190_000],
          ['reduced', 70_000],
        ].map(([tax_class, rate_ppm]) => ({
          id: String(tax_class),
          name: 'USt',
          tax_class: String(tax_class),
          country: 'DE',
          region: null,
          rate_ppm: Number(rate_ppm),
          state: 'active',
          version: 1,
          updated_at: now,
        })),
      },
    },
    {
      address: { name: '', line1: '', city: '', postal_code: '', country: 'DE' },
      shipping_method_id: null,
    },
  )

const applied = ({ codes }: Quote) =>
  codes.filter(one => one.state === 'applied').map(one => one.code)
const reasons = ({ codes }: Quote) => codes.map(({ code, reason }) => `${code}: ${reason}`)

const three_for_two = {
  kind: 'buy_get',
  buy_quantity: 2,
  get_quantity: 1,
  rate_ppm: 1_000_000,
  automatic: true,
}
const tenth = { kind: 'percent', rate_ppm: 100_000 }

describe('buy-get', () => {
  const gives = (lines: readonly LineFacts[], more: object = {}) =>
    price(lines, [discount('GIFT', { ...three_for_two, ...more })]).wire.discount_minor

  test.each([
    [1, 0],
    [2, 0],
    [3, 100],
    [5, 100],
    [6, 200],
    [9, 300],
  ])('three for two: of %i units at 1.00 are given %i cents', (quantity, given) => {
    expect(gives([line('A', 100, quantity)])).toBe(given)
  })

  test('the cheapest units are given, whatever line they are of', () => {
    const lines = [line('A', 500, 2), line('B', 200, 1), line('C', 300, 3)]
    expect(gives(lines)).toBe(200 + 300)
    expect(gives(lines, { times_max: 1 })).toBe(200)
  })

  test('a bought unit is not given: buy one, get two needs three units', () => {
    const more = { buy_quantity: 1, get_quantity: 2 }
    expect(gives([line('A', 100, 2)], more)).toBe(0)
    expect(gives([line('A', 100, 3)], more)).toBe(200)
    expect(gives([line('A', 100, 5)], more)).toBe(200)
  })

  test('a part of the price, rounded once a line', () => {
    expect(gives([line('A', 333, 6)], { rate_ppm: 500_000 })).toBe(333)
    expect(gives([line('A', 333, 3)], { rate_ppm: 500_000 })).toBe(167)
  })

  test('takes what earlier discounts left', () => {
    const half = {
      kind: 'percent',
      scope: 'lines',
      rate_ppm: 500_000,
      priority: 9,
      stackable: true,
    }
    const both = price(
      [line('A', 100, 3)],
      [discount('GIFT', { ...three_for_two, stackable: true }), discount('HALF', half)],
      ['HALF'],
    )
    expect(both.totals.discounts).toEqual([
      { code: 'HALF', amount_minor: 150n },
      { code: 'GIFT', amount_minor: 50n },
    ])
  })

  test('counts only the lines that it is for', () => {
    const lines = [line('A', 100, 2, { tags: ['sale'] }), line('B', 50, 9)]
    expect(gives(lines, { tags: ['sale'] })).toBe(0)
    expect(gives([...lines, line('C', 70, 1, { tags: ['sale'] })], { tags: ['sale'] })).toBe(70)
  })
})

describe('discounts apply', () => {
  const goods = [line('A', 1000, 2, { collections: ['gifts'], tags: ['new'] }), line('B', 500, 1)]

  test('without a code, and by priority, then by code', () => {
    const all = price(goods, [
      discount('B', { ...tenth, automatic: true, stackable: true }),
      discount('A', { ...tenth, automatic: true, stackable: true }),
      discount('Z', { ...tenth, automatic: true, stackable: true, priority: 5 }),
    ])
    expect(all.totals.discounts.map(one => one.code)).toEqual(['Z', 'A', 'B'])
    expect(all.wire.discount_minor).toBe(250 + 225 + 203)
  })

  test('the first that does not combine is alone', () => {
    const automatic = discount('AUTO', { ...tenth, automatic: true, stackable: true, priority: 9 })
    const alone = discount('MINE', { ...tenth, rate_ppm: 300_000 })
    const mine = price(goods, [automatic, alone], ['MINE'])
    expect([applied(mine), mine.wire.discount_minor]).toEqual([['MINE'], 750])
    const higher = discount('ONLY', { ...tenth, automatic: true, priority: 1 })
    const both = price(goods, [automatic, alone, higher], ['MINE'])
    expect(reasons(both)).toEqual(['MINE: not_stackable', 'ONLY: null'])
  })

  test('for tags, collections and a number of units', () => {
    const of = (record: object) => price(goods, [discount('X', { ...tenth, ...record })], ['X'])
    expect(of({ collections: ['gifts'] }).wire.discount_minor).toBe(200)
    expect(of({ tags: ['new'], skus: ['B'] }).wire.discount_minor).toBe(250)
    expect(reasons(of({ collections: ['others'] }))).toEqual(['X: no_matching_lines'])
    expect(reasons(of({ tags: ['new'], min_quantity: 3 }))).toEqual(['X: below_minimum'])
    expect(applied(of({ tags: ['new'], min_quantity: 2 }))).toEqual(['X'])
  })

  test('a code that needs none is entered in vain, and counts once', () => {
    const auto = discount('AUTO', { ...tenth, automatic: true })
    expect(price(goods, [auto], ['AUTO']).wire.discount_minor).toBe(250)
  })

  test('one that has ended or is not active is not shown', () => {
    const old = discount('OLD', { ...tenth, automatic: true, ends_at: '2026-01-01T00:00:00Z' })
    const off = discount('OFF', { ...tenth, automatic: true, state: 'disabled' })
    expect(price(goods, [old, off]).codes).toEqual([])
  })
})

const anyLine = fc.record({
  sku: fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F', 'G'),
  amount_minor: fc.oneof(fc.constantFrom(100, 333), fc.integer({ min: 0, max: 99_999 })),
  quantity: fc.integer({ min: 1, max: 12 }),
  tags: fc.subarray(['sale', 'new']),
  tax_class: fc.constantFrom('standard', 'reduced', 'none'),
})
const anyDiscount = fc.record({
  kind: fc.constantFrom('buy_get', 'buy_get', 'percent', 'fixed'),
  scope: fc.constantFrom('order', 'lines'),
  buy_quantity: fc.integer({ min: 1, max: 4 }),
  get_quantity: fc.integer({ min: 1, max: 4 }),
  rate_ppm: fc.integer({ min: 0, max: 1_000_000 }),
  amount_minor: fc.integer({ min: 0, max: 5000 }),
  times_max: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  tags: fc.subarray(['sale', 'new']),
  priority: fc.integer({ min: 0, max: 2 }),
  stackable: fc.boolean(),
  automatic: fc.boolean(),
})
const anyCart = fc
  .record({
    lines: fc.uniqueArray(anyLine, { selector: one => one.sku, minLength: 1, maxLength: 7 }),
    discounts: fc.array(anyDiscount, { maxLength: 4 }),
    inclusive: fc.boolean(),
  })
  .chain(cart =>
    fc.record({
      cart: fc.constant(cart),
      lines: fc.shuffledSubarray(cart.lines, { minLength: cart.lines.length }),
      order: fc.shuffledSubarray(cart.discounts, { minLength: cart.discounts.length }),
    }),
  )

const first = (a: { sku: string }, b: { sku: string }) => (a.sku < b.sku ? -1 : 1)

test('lines and codes in any order: the same total for the buyer, each line and each discount', () => {
  fc.assert(
    fc.property(anyCart, ({ cart, lines, order }) => {
      const linesOf = (given: typeof cart.lines) =>
        given.map(({ sku, amount_minor, quantity, ...more }) =>
          line(sku, amount_minor, quantity, { ...more, prices_include_tax: cart.inclusive }),
        )
      const known = cart.discounts.map((record, at) => discount(`CODE-${at}`, record))
      const turned = order.flatMap(one => known[cart.discounts.indexOf(one)] ?? [])
      const one = price(
        linesOf(cart.lines),
        known,
        known.map(({ code }) => code),
      )
      const other = price(
        linesOf(lines),
        turned,
        turned.map(({ code }) => code),
      )
      expect(other.wire).toEqual(one.wire)
      expect(other.fingerprint).toBe(one.fingerprint)
      expect(other.totals.discounts).toEqual(one.totals.discounts)
      const bySku = ({ lines: all }: Quote) =>
        all.map(({ facts, totals }) => ({ sku: facts.sku, totals })).toSorted(first)
      expect(bySku(other)).toEqual(bySku(one))
    }),
    { numRuns: 300 },
  )
})

test('buy-get gives the cheapest units, as one counts them, and takes no line below zero', () => {
  fc.assert(
    fc.property(anyCart, ({ cart }) => {
      const gift = cart.discounts.find(one => one.kind === 'buy_get')
      if (!gift) return
      const lines = cart.lines.map(({ sku, amount_minor, quantity, ...more }) =>
        line(sku, amount_minor, quantity, more),
      )
      const full = { ...gift, automatic: true, rate_ppm: 1_000_000 }
      const { totals, wire } = price(lines, [discount('GIFT', full)])
      for (const one of totals.lines) {
        expect(one.discount_minor >= 0n && one.discount_minor <= one.subtotal_minor).toBe(true)
      }
      // An oracle that counts units one by one.
      const fits = lines.filter(
        one => full.tags.length === 0 || full.tags.some(tag => one.tags.includes(tag)),
      )
      const units = fits
        .flatMap(one => Array.from({ length: one.quantity }, () => one.amount_minor ?? 0))
        .toSorted((a, b) => a - b)
      const times = Math.min(
        Math.floor(units.length / (full.buy_quantity + full.get_quantity)),
        full.times_max ?? Infinity,
      )
      const given = units.slice(0, times * full.get_quantity)
      expect(wire.discount_minor).toBe(given.reduce((sum, unit) => sum + unit, 0))
    }),
    { numRuns: 300 },
  )
})
