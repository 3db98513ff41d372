/** The request of a checkout. It contains no price. */
import { type Static, Type } from 'typebox'
import { closed, Id, text } from '#dodeca/kernel'
import { Codes } from '../carts/schemas.ts'
import { GivenAddress, Locale, Word } from '../schemas.ts'

export const Checkout = closed(
  {
    cart_id: Id,
    shipping_address: Type.Optional(GivenAddress),
    billing_address: Type.Optional(GivenAddress),
    shipping_method_id: Type.Optional(Word),
    discount_codes: Type.Optional(Codes),
    email: Type.Optional(
      Type.String({ pattern: '^[^@\\s]+@[^@\\s]+$', minLength: 3, maxLength: 254 }),
    ),
    locale: Type.Optional(Locale),
    payment: Type.Optional(
      closed({
        payment_method: text(255),
        save: Type.Optional(Type.Boolean()),
        provider: Type.Optional(text(50)),
        account: Type.Optional(text(50)),
        return_url: Type.Optional(
          Type.String({ pattern: '^https?://', minLength: 8, maxLength: 2000 }),
        ),
      }),
    ),
    pricing_fingerprint: Type.Optional(text(64)),
  },
  { title: 'Checkout' },
)
export type Checkout = Static<typeof Checkout>
