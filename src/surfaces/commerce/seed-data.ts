/** The products, taxes, shipping methods and orders of the demo shop. */
import type { CreateProduct } from './catalog/schemas.ts'
import type { RecordKind } from './rules/records.ts'

type Good = Pick<CreateProduct, 'handle' | 'title' | 'description' | 'category' | 'attributes'> & {
  readonly amount_minor: number
  readonly sizes: readonly string[]
}

const kinds: readonly (readonly [string, string, number, readonly string[]])[] = [
  ['Mug', 'kitchen/mugs', 1290, ['250 ml', '400 ml']],
  ['Teapot', 'kitchen/teapots', 4590, ['0.8 l', '1.2 l']],
  ['Apron', 'kitchen/textiles', 2490, ['S', 'M', 'L']],
  ['Notebook', 'desk/paper', 990, ['A5', 'A4']],
  ['Pencil case', 'desk/storage', 1890, ['one size']],
  ['Lamp', 'desk/lamps', 6990, ['one size']],
  ['Blanket', 'living/textiles', 7990, ['130 × 180', '150 × 200']],
  ['Cushion', 'living/textiles', 3490, ['40 × 40', '50 × 50']],
]
const colours = ['Blue', 'Sand', 'Olive', 'Rust', 'Slate'] as const

export const goods: readonly Good[] = kinds.flatMap(([noun, category, amount_minor, sizes]) =>
  colours.map((colour, at) => ({
    handle: `${colour}-${noun}`.toLowerCase().replaceAll(' ', '-'),
    title: `${colour} ${noun.toLowerCase()}`,
    description: `${noun} in ${colour.toLowerCase()}, made in small batches.`,
    category,
    attributes: { colour: colour.toLowerCase() },
    amount_minor: amount_minor + at * 100,
    sizes,
  })),
)

export function variantsOf({ handle, sizes, amount_minor }: Good): CreateProduct['variants'] {
  return sizes.map((size, at) => ({
    sku: `${handle}-${at + 1}`.toUpperCase(),
    ...(sizes.length > 1 ? { title: size, options: { size } } : {}),
    weight_grams: 300 + at * 150,
    prices: [
      { currency: 'EUR', amount_minor: amount_minor + at * 400, prices_include_tax: true },
      { currency: 'USD', amount_minor: amount_minor + at * 450 + 200 },
    ],
  }))
}

export const address = {
  name: 'Mara Lindqvist',
  line1: 'Lindenstraße 12',
  city: 'Berlin',
  postal_code: '10969',
  country: 'DE',
}

const tax = (name: string, country: string, rate_ppm: number, region?: string) => ({
  name,
  tax_class: 'standard',
  country,
  rate_ppm,
  ...(region === undefined ? {} : { region }),
})
type Seeded = { readonly kind: RecordKind; readonly key: string; readonly record: object }

export const records: readonly Seeded[] = [
  {
    kind: 'settings',
    key: 'settings',
    record: {
      default_currency: 'EUR',
      rounding_mode: 'line',
      capture_policy: 'on_first_shipment',
      capture_before_expiry: true,
      return_window_days: 30,
    },
  },
  { kind: 'tax_rule', key: 'de', record: tax('USt', 'DE', 190_000) },
  { kind: 'tax_rule', key: 'fr', record: tax('TVA', 'FR', 200_000) },
  { kind: 'tax_rule', key: 'us-ny', record: tax('Sales tax', 'US', 88_750, 'NY') },
  {
    kind: 'shipping_method',
    key: 'parcel',
    record: {
      name: 'Parcel',
      countries: ['DE', 'FR', 'US'],
      bands: [
        { currency: 'EUR', min_subtotal_minor: 0, amount_minor: 490 },
        { currency: 'EUR', min_subtotal_minor: 5000, amount_minor: 0 },
        { currency: 'USD', min_subtotal_minor: 0, amount_minor: 1290 },
      ],
    },
  },
  {
    kind: 'discount',
    key: 'SPRING10',
    record: { kind: 'percent', rate_ppm: 100_000, stackable: true },
  },
  {
    kind: 'discount',
    key: 'FIRST100',
    record: { kind: 'fixed', amount_minor: 500, currency: 'EUR', usage_limit: 100 },
  },
]

export type Story = {
  readonly items: readonly (readonly [sku: string, quantity: number])[]
  readonly payment_method: string
  readonly codes?: readonly string[]
  readonly next?: 'ship' | 'cancel' | 'return'
}

const visa = 'pm_card_visa'
export const stories: readonly Story[] = [
  {
    items: [
      ['BLUE-MUG-1', 2],
      ['OLIVE-TEAPOT-1', 1],
    ],
    payment_method: visa,
    next: 'ship',
  },
  { items: [['SAND-BLANKET-2', 1]], payment_method: visa, codes: ['SPRING10'], next: 'return' },
  { items: [['RUST-APRON-2', 3]], payment_method: visa, next: 'cancel' },
  { items: [['SLATE-NOTEBOOK-1', 4]], payment_method: visa },
  { items: [['BLUE-LAMP-1', 1]], payment_method: 'pm_card_visa_chargeDeclined' },
  { items: [['OLIVE-CUSHION-1', 2]], payment_method: 'pm_card_authenticationRequired' },
]
