/** Own payment accounts in requests and replies. A secret is never in a reply. */
import { Type, type Static } from 'typebox'
import { closed, Id, oneOf, text, Time } from '#dodeca/kernel'
import { vendors } from '../provider/open-providers.ts'
import { ShownAuth } from '../provider/vendor.ts'
import { AccountName } from '../schemas.ts'

const Vendor = oneOf(...vendors.map(({ name }) => name))
const Methods = Type.Array(oneOf(...new Set(vendors.flatMap(({ methods }) => methods))), {
  minItems: 1,
  maxItems: 20,
  uniqueItems: true,
})

export const PutAccount = closed(
  {
    provider: Vendor,
    auth: Type.Optional(
      closed({
        secret_key: Type.Optional(text(255)),
        publishable_key: Type.Optional(text(255)),
        client_id: Type.Optional(text(255)),
        client_secret: Type.Optional(text(255)),
      }),
    ),
    methods: Type.Optional(Methods),
    webhook_secret: Type.Optional(text(255)),
  },
  {
    title: 'PutPaymentAccount',
    examples: [{ provider: 'stripe', auth: { secret_key: 'sk_test_51Q9xExample' } }],
  },
)
export type PutAccount = Static<typeof PutAccount>

/** As it is stored. */
export const AccountRow = Type.Object({
  id: Id,
  name: AccountName,
  provider: Vendor,
  external_ref: Type.String({ maxLength: 255 }),
  state: oneOf('active', 'closing', 'closed'),
  methods: Methods,
  auth: ShownAuth,
  has_webhook_secret: Type.Boolean(),
  version: Type.Integer(),
  created_at: Time,
  updated_at: Time,
})
export type AccountRow = Static<typeof AccountRow>

export const AccountView = Type.Object(
  { ...AccountRow.properties, webhook_url: Type.String({ maxLength: 2000 }) },
  { title: 'PaymentAccount' },
)
export type AccountView = Static<typeof AccountView>

export function viewOf({ public_url }: { readonly public_url: string }, row: AccountRow) {
  return { ...row, webhook_url: `${public_url}/v1/providers/${row.id}/webhooks` }
}
