/**
 * Stripe. The id of a message is the id of Stripe's event. The reply is the one that Stripe
 * documents.
 */
import { verifyStripe } from '../../../../kernel/outgoing/vendor-signatures.ts'
import { envelopeOf, jsonOf } from './read.ts'
import type { Scheme } from './scheme.ts'

export const stripe: Scheme = {
  name: 'stripe',
  verify: (message, trust) => verifyStripe({ ...message, ...trust }),
  envelope: ({ body }) => {
    const event = jsonOf(body)
    return envelopeOf(event?.['id'], event?.['type'])
  },
  identified: () => 'in the member id of a JSON object',
  received: {
    status: 200,
    body: '{"received":true}',
    media_type: 'application/json; charset=utf-8',
  },
}
