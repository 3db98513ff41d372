/** Totals against golden vectors, laws that hold for every input, and another library that calculates the same. */
import { Big } from 'big.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { payable, refundFor } from '../../returns/refund-amount.ts'
import type { Discount } from '../discount-lines.ts'
import { rounded, spread } from '../fractions.ts'
import type { TaxRule } from '../tax-lines.ts'
import { totalsOf, type TotalsInput } from '../totals.ts'

const rule = (rate_ppm: number, id = 'r'): TaxRule => ({
  id,
  name: id,
  rate_ppm: BigInt(rate_ppm),
  version: 1,
})
const line = (unit: number, quantity: number, ...rates: number[]) => ({
  unit_price_minor: BigInt(unit),
  quantity: BigInt(quantity),
  rules: rates.map((rate, at) => rule(rate, `r${rate}-${at}`)),
})
const order = (more: Partial<TotalsInput>): TotalsInput => ({
  lines: [],
  discounts: [],
  shipping: null,
  inclusive: false,
  rounding: 'line',
  ...more,
})
const discount = (more: Partial<Discount>): Discount => ({
  code: 'CODE',
  version: 1,
  kind: 'fixed',
  rate_ppm: 0n,
  amount_minor: 0n,
  scope: 'order',
  buy_quantity: 0n,
  get_quantity: 0n,
  times_max: null,
  lines: [0, 1, 2, 3],
  ...more,
})
const taxes = (input: Partial<TotalsInput>) =>
  totalsOf(order(input)).lines.map(one => Number(one.tax_minor))

describe('golden vectors', () => {
  test('24.99 at 10.75 % and 6.44 without tax: 2.69, in all 34.12', () => {
    const { tax_minor, total_minor } = totalsOf(
      order({ lines: [line(2499, 1, 107_500), line(644, 1)] }),
    )
    expect([tax_minor, total_minor]).toEqual([269n, 3412n])
  })

  test('four lines of 2.50 at 23 %, rounded by line and by order', () => {
    const lines = Array.from({ length: 4 }, () => line(250, 1, 230_000))
    expect(taxes({ lines })).toEqual([58, 58, 58, 58])
    expect(taxes({ lines, rounding: 'order' })).toEqual([58, 58, 57, 57])
  })

  test('164.02 at 2.6 % by order: 4.26', () => {
    expect(taxes({ lines: [line(16_402, 1, 26_000)], rounding: 'order' })).toEqual([426])
  })

  test('three lines of 1.00 with 1.00 off the order: 0.34, 0.33, 0.33', () => {
    const lines = Array.from({ length: 3 }, () => line(100, 1))
    const { lines: priced } = totalsOf(
      order({ lines, discounts: [discount({ amount_minor: 100n })] }),
    )
    expect(priced.map(one => Number(one.discount_minor))).toEqual([34, 33, 33])
  })

  test('tax inside 10.00 at 19 %: 1.60', () => {
    const { tax_minor, total_minor } = totalsOf(
      order({ lines: [line(1000, 1, 190_000)], inclusive: true }),
    )
    expect([tax_minor, total_minor]).toEqual([160n, 1000n])
  })

  test.each([
    ['JPY 999 at 10 %, no decimals', 999, 100_000, 100],
    ['KWD 1.005 at 5 %, three decimals', 1005, 50_000, 50],
  ])('%s', (_name, unit, rate, tax) => {
    expect(taxes({ lines: [line(unit, 1, rate)] })).toEqual([tax])
  })

  test('100 % off and free shipping: nothing to pay', () => {
    const { total_minor, tax_minor, discounts } = totalsOf(
      order({
        lines: [line(1999, 3, 190_000)],
        shipping: { amount_minor: 490n, rules: [rule(190_000)] },
        discounts: [
          discount({ kind: 'percent', rate_ppm: 1_000_000n }),
          discount({ code: 'SHIP', kind: 'free_shipping' }),
        ],
      }),
    )
    expect([total_minor, tax_minor]).toEqual([0n, 0n])
    expect(discounts).toEqual([
      { code: 'CODE', amount_minor: 5997n },
      { code: 'SHIP', amount_minor: 490n },
    ])
  })

  test('discounts of lines come before those of the order, each from what is left', () => {
    const { lines } = totalsOf(
      order({
        lines: [line(1000, 1), line(1000, 1)],
        discounts: [
          discount({ code: 'ORDER', kind: 'percent', rate_ppm: 500_000n }),
          discount({
            code: 'LINE',
            kind: 'percent',
            rate_ppm: 500_000n,
            scope: 'lines',
            lines: [0],
          }),
        ],
      }),
    )
    expect(lines.map(one => Number(one.discount_minor))).toEqual([750, 500])
  })
})

const amount = fc.bigInt({ min: 0n, max: 9_999_999n })
const anyInput = fc.record({
  lines: fc.array(
    fc.record({
      unit_price_minor: amount,
      quantity: fc.bigInt({ min: 1n, max: 999n }),
      rules: fc
        .uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 2 })
        .map(ids => ids.map(id => rule({ a: 190_000, b: 70_000, c: 107_500 }[id] ?? 0, id))),
    }),
    { minLength: 1, maxLength: 12 },
  ),
  discounts: fc.array(
    fc.record({
      code: fc.constantFrom('A', 'B'),
      version: fc.constant(1),
      kind: fc.constantFrom('percent' as const, 'fixed' as const),
      rate_ppm: fc.bigInt({ min: 0n, max: 1_000_000n }),
      amount_minor: amount,
      scope: fc.constantFrom('order' as const, 'lines' as const),
      buy_quantity: fc.constant(0n),
      get_quantity: fc.constant(0n),
      times_max: fc.constant(null),
      lines: fc.constant(Array.from({ length: 12 }, (_, at) => at)),
    }),
    { maxLength: 2 },
  ),
  shipping: fc.option(
    fc.record({ amount_minor: amount, rules: fc.constant([rule(190_000, 'a')]) }),
  ),
  inclusive: fc.boolean(),
  rounding: fc.constantFrom('line' as const, 'order' as const),
})

describe('for every order', () => {
  test('lines and shipping add up to the total, and nothing is below zero', () => {
    fc.assert(
      fc.property(anyInput, input => {
        const { lines, shipping, ...all } = totalsOf(input)
        const shipped =
          shipping.amount_minor -
          shipping.discount_minor +
          (input.inclusive ? 0n : shipping.tax_minor)
        const sum = lines.reduce((so_far, one) => so_far + one.total_minor, shipped)
        expect(all.total_minor).toBe(sum)
        for (const one of lines) {
          expect(one.discount_minor >= 0n && one.discount_minor <= one.subtotal_minor).toBe(true)
          expect(one.tax_minor >= 0n && one.total_minor >= 0n).toBe(true)
        }
      }),
    )
  })

  test('the tax is what another library calculates', () => {
    fc.assert(
      fc.property(anyInput, input => {
        const { lines } = totalsOf({ ...input, rounding: 'line', discounts: [] })
        input.lines.forEach((given, at) => {
          const base = Big(given.unit_price_minor.toString()).times(given.quantity.toString())
          const sum = given.rules.reduce((all, one) => all + Number(one.rate_ppm), 0)
          const expected = given.rules.map(one => {
            const over = base.times(one.rate_ppm.toString())
            return over.div(input.inclusive ? 1_000_000 + sum : 1_000_000).round(0, Big.roundHalfUp)
          })
          expect(lines[at]?.tax.map(one => one.amount_minor.toString())).toEqual(
            expected.map(one => one.toFixed(0)),
          )
        })
      }),
    )
  })

  test('rounded once, the tax of each rule is at most half a cent away from exact', () => {
    fc.assert(
      fc.property(anyInput, input => {
        const { lines, shipping } = totalsOf({ ...input, rounding: 'order', inclusive: false })
        const parts = [...lines.flatMap(one => one.tax), ...shipping.tax]
        for (const id of new Set(parts.map(one => one.rule.id))) {
          const own = parts.filter(one => one.rule.id === id)
          const got = own.reduce((sum, one) => sum + one.amount_minor, 0n)
          const over = own.reduce((sum, one) => sum + one.exact.over, 0n)
          expect(got).toBe(rounded({ over, under: 1_000_000n }))
        }
      }),
    )
  })

  test('more of a line never costs less', () => {
    fc.assert(
      fc.property(anyInput, input => {
        const [first, ...rest] = input.lines
        if (!first) return
        const plain = { ...input, discounts: [] }
        const more = { ...first, quantity: first.quantity + 1n }
        const before = totalsOf(plain).total_minor
        expect(totalsOf({ ...plain, lines: [more, ...rest] }).total_minor >= before).toBe(true)
      }),
    )
  })

  test('the order of the lines changes no sum', () => {
    fc.assert(
      fc.property(anyInput, input => {
        const turned = totalsOf({ ...input, lines: input.lines.toReversed(), discounts: [] })
        const plain = totalsOf({ ...input, discounts: [] })
        expect(turned.total_minor).toBe(plain.total_minor)
      }),
    )
  })
})

test('what is spread adds up, and each share is less than a cent from exact', () => {
  fc.assert(
    fc.property(amount, fc.array(amount, { minLength: 1, maxLength: 50 }), (total, weights) => {
      const all = weights.reduce((sum, one) => sum + one, 0n)
      const parts = spread(total, weights)
      expect(parts.reduce((sum, one) => sum + one, 0n)).toBe(all === 0n ? 0n : total)
      parts.forEach((part, at) => {
        if (all === 0n) return
        const away = part * all - total * (weights[at] ?? 0n)
        expect(away > -all && away < all).toBe(true)
      })
    }),
  )
})

test('three units for 10.00 come back one by one: 3.33, 3.34, 3.33; all of any line give its total', () => {
  const units = { total_minor: 1000n, quantity: 3n, now: 1n }
  const back = [0n, 1n, 2n].map(before => refundFor({ ...units, before }))
  expect(back).toEqual([333n, 334n, 333n])
  fc.assert(
    fc.property(
      amount,
      fc.array(fc.bigInt(1n, 99n), { minLength: 1, maxLength: 9 }),
      (total, ks) => {
        const quantity = ks.reduce((sum, one) => sum + one, 0n)
        let before = 0n
        let paid = 0n
        for (const now of ks) {
          paid += refundFor({ total_minor: total, quantity, before, now })
          before += now
        }
        expect(paid).toBe(total)
      },
    ),
  )
})

test('refunds in steps of the provider are multiples of the step and add up to the total', () => {
  const parts = fc.array(fc.bigInt(0n, 10_000n), { minLength: 1, maxLength: 9 })
  fc.assert(
    fc.property(parts, fc.constantFrom(1n, 10n, 100n), (given, step) => {
      const sum = given.reduce((all, one) => all + one, 0n)
      // The total of an order is a multiple of the step; the last part may not be.
      const owed = [...given, (step - (sum % step)) % step]
      let before = 0n
      let paid = 0n
      for (const now of owed) {
        const refund = payable({ before, now, fee: 0n, step })
        expect(refund % step).toBe(0n)
        paid += refund
        before += now
      }
      expect(paid).toBe(before)
    }),
  )
  const part = { before: 667n, now: 666n, step: 10n }
  expect(payable({ ...part, fee: 15n })).toBe(660n)
  expect(payable({ ...part, fee: 5000n })).toBe(0n)
})
