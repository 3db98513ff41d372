/** What people type in the forms of the console, and what is then sent. */
import { expect, test } from 'vitest'
import { bodyOf, draftOf, instantOf, localOf, type Draft } from '../../console/src/form-draft.ts'
import { decimalOf, typedAmount, typedMinor } from '../../console/src/money.ts'
import { dayOf, momentOf, rangeOf } from '../../console/src/range.ts'
import { openApiText } from '../../scripts/openapi.ts'
import { operationCatalog } from '../../src/runtime/console/operation-catalog.ts'

const catalog = operationCatalog(await openApiText())
type Body = Parameters<typeof bodyOf>[0]
const bodyFor = (id: string) => catalog[id]?.body as Body

test('money is typed in decimals of its currency, with a point or a comma', () => {
  expect(typedMinor('25,80', 'EUR')).toBe(2580)
  expect(typedMinor('25.8', 'EUR')).toBe(2580)
  expect(typedMinor('13', 'EUR')).toBe(1300)
  expect(typedMinor('EUR 12.90', 'EUR')).toBe(1290)
  expect(typedMinor('1290', 'JPY')).toBe(1290)
  expect(typedAmount('1.5', 'KWD')).toBe('1.500')
  expect(decimalOf(9_007_199_254_740_991, 'JPY')).toBe('9007199254740991')
})

test('an amount that may mean two things is refused', () => {
  for (const text of ['1,234', '1.234,50', '-3', '1e3', '12.', '', 'EUR']) {
    expect(typedAmount(text, 'EUR'), text).toBeNull()
  }
  expect(typedAmount('12.5', 'JPY')).toBeNull()
})

test('a price is whole cents in the body, and says what is wrong with its field', () => {
  const schema = bodyFor('addPriceVersion')
  const draft = { ...draftOf(schema, {}), sku: 'MUG', currency: 'eur', amount_minor: '13' }
  expect(bodyOf(schema, draft)).toEqual({ sku: 'MUG', currency: 'EUR', amount_minor: 1300 })
  const refused = (given: Draft) => {
    try {
      return bodyOf(schema, given)
    } catch (error) {
      const { pointer, rule } = error as { pointer: string; rule: string }
      return { pointer, rule }
    }
  }
  const at = { pointer: '/amount_minor' }
  expect(refused({ ...draft, amount_minor: '1,234' })).toEqual({ ...at, rule: 'amount' })
  expect(refused({ ...draft, currency: '' })).toEqual({ ...at, rule: 'currency' })
})

test('a refund begins with what is left, in the currency of its payment', () => {
  const schema = bodyFor('createRefund')
  const given = { intent_id: 'i', amount: '25.80' }
  const draft = draftOf(schema, given, 'EUR')
  expect(draft).not.toHaveProperty('amount_minor')
  const around = { currency: 'EUR', at: '' }
  expect(bodyOf(schema, { ...draft, amount: '20,5' }, around)).toEqual({
    intent_id: 'i',
    amount: '20.50',
  })
})

test('a product with variants and prices needs no JSON', () => {
  const schema = bodyFor('createProduct')
  const price = { currency: 'EUR', amount_minor: '24,90' }
  const variant = { sku: 'MUG', options: 'Size: L\nColour: blue: dark', prices: [price] }
  const draft = {
    ...draftOf(schema, {}),
    handle: 'mug',
    title: 'A mug',
    attributes: '',
    variants: [variant],
  }
  expect(bodyOf(schema, draft)).toEqual({
    handle: 'mug',
    title: 'A mug',
    variants: [
      {
        sku: 'MUG',
        options: { Size: 'L', Colour: 'blue: dark' },
        prices: [{ currency: 'EUR', amount_minor: 2490 }],
      },
    ],
  })
})

test('what a form begins with is sent again unchanged', () => {
  const schema = bodyFor('putShippingMethod')
  const bands = [{ currency: 'JPY', min_subtotal_minor: 0, amount_minor: 500 }]
  const given = { name: 'Post', countries: ['JP'], bands }
  expect(bodyOf(schema, draftOf(schema, given))).toMatchObject(given)
})

test('a day is its beginning on the clock of the person; the last day of a range belongs to it', () => {
  expect(instantOf('2026-12-02')).toBe(new Date(2026, 11, 2).toISOString())
  expect(instantOf('2026-12-02T09:30')).toBe(new Date(2026, 11, 2, 9, 30).toISOString())
  expect(localOf(instantOf('2026-12-02T09:30'))).toBe('2026-12-02T09:30')
  expect(momentOf('2026-12-31', true)).toBe(new Date(2027, 0, 1).toISOString())
  expect(dayOf(momentOf('2026-12-31', true), true)).toBe('2026-12-31')
  expect(dayOf(momentOf('2026-12-31', false), false)).toBe('2026-12-31')
})

test('the last month is that of the year before in January', () => {
  const { since, until } = rangeOf('last_month', new Date(2027, 0, 15, 12))
  expect([since, until]).toEqual([
    new Date(2026, 11, 1).toISOString(),
    new Date(2027, 0, 1).toISOString(),
  ])
})
