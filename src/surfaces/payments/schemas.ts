/** Shapes of requests and replies that more than one folder of payments uses. */
import { Type } from 'typebox'
import { closed, count, Id, map, nullable, text, Time } from '#dodeca/kernel'

const Metadata = map(text(40), Type.String({ maxLength: 500 }), 20)
const Currency = Type.String({ pattern: '^[A-Z]{3}$', minLength: 3, maxLength: 3 })
const AmountMinor = count(1, Number.MAX_SAFE_INTEGER)

/** The name of a tenant's own payment account. `platform` is the platform's. */
export const AccountName = Type.String({ pattern: '^[a-z][a-z0-9_-]{0,49}$', maxLength: 50 })

const Amount = Type.String({
  pattern: '^[0-9]{1,13}(\\.[0-9]{1,6})?$',
  minLength: 1,
  maxLength: 20,
})

const ReturnUrl = Type.String({ pattern: '^https?://', minLength: 8, maxLength: 2000 })

const Locale = Type.String({
  description: 'The language of the page, such as `de`. Without it, that of the browser.',
  pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$',
  minLength: 2,
  maxLength: 35,
})

export const CreateIntent = closed(
  {
    amount_minor: Type.Optional(AmountMinor),
    amount: Type.Optional(Amount),
    currency: Currency,
    order_ref: Type.Optional(text(128)),
    provider: Type.Optional(text(50)),
    account: Type.Optional(AccountName),
    customer_id: Type.Optional(Id),
    metadata: Type.Optional(Metadata),
  },
  {
    title: 'CreatePaymentIntent',
    examples: [{ amount: '49.90', currency: 'EUR', order_ref: 'order-1' }],
  },
)
export const Authorize = closed(
  {
    payment_method: text(255),
    return_url: Type.Optional(ReturnUrl),
    save: Type.Optional(Type.Boolean()),
    off_session: Type.Optional(Type.Boolean()),
  },
  { title: 'AuthorizePaymentIntent' },
)
export const Capture = closed(
  { amount_minor: Type.Optional(AmountMinor), amount: Type.Optional(Amount) },
  { title: 'CapturePaymentIntent', examples: [{ amount: '49.90' }] },
)
export const Cancel = closed({ reason: Type.Optional(text(100)) }, { title: 'CancelPaymentIntent' })
export const CreateRequest = closed(
  {
    amount_minor: Type.Optional(AmountMinor),
    currency: Currency,
    description: text(500),
    order_ref: Type.Optional(text(128)),
    return_url: Type.Optional(ReturnUrl),
    customer_id: Type.Optional(Id),
    intent_id: Type.Optional(Id),
    locale: Type.Optional(Locale),
    provider: Type.Optional(text(50)),
    account: Type.Optional(AccountName),
    uses: Type.Optional(nullable(count(1, 1_000_000))),
    expires_at: Type.Optional(Time),
  },
  {
    title: 'CreatePaymentRequest',
    examples: [{ amount_minor: 4990, currency: 'EUR', description: 'Invoice 2026-17' }],
  },
)
export const Attempt = closed(
  {
    provider: text(50),
    payment_method: text(255),
    attempt_id: Id,
    save: Type.Optional(Type.Boolean()),
    amount_minor: Type.Optional(AmountMinor),
    email: Type.Optional(
      Type.String({ pattern: '^[^@\\s]+@[^@\\s]+$', minLength: 3, maxLength: 254 }),
    ),
  },
  { title: 'AttemptPayment' },
)
export const CreateRefund = closed(
  {
    intent_id: Id,
    amount_minor: Type.Optional(AmountMinor),
    amount: Type.Optional(Amount),
    reason: Type.Optional(
      Type.Unsafe<'requested_by_customer' | 'duplicate' | 'fraudulent' | 'other'>({
        type: 'string',
        enum: ['requested_by_customer', 'duplicate', 'fraudulent', 'other'],
      }),
    ),
    note: Type.Optional(text(500)),
  },
  {
    title: 'CreateRefund',
    examples: [
      {
        intent_id: '0199a1b2-0000-7000-8000-000000000000',
        amount: '24.95',
        reason: 'requested_by_customer',
      },
    ],
  },
)
