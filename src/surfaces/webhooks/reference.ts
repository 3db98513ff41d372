/** The names and descriptions of this surface for the published document. */
import type { Reference } from '#dodeca/kernel'
import { catalogReference } from './catalog/reference.ts'
import { deliveriesReference } from './deliveries/reference.ts'
import { inboundReference } from './inbound/reference.ts'
import { replaysReference } from './replays/reference.ts'
import { subscriptionsReference } from './subscriptions/reference.ts'

export const reference: Reference = {
  introduction:
    'Delivers the events of the platform to your endpoints as signed HTTP requests (Standard Webhooks). Failed deliveries are retried, and you can replay them. It also receives signed webhooks of other providers, each once.',
  members: {
    ...inboundReference,
    ...deliveriesReference,
    ...subscriptionsReference,
    ...catalogReference,
    ...replaysReference,
    'path.account_ref': ['The account at the provider.'],
    'query.provider_account': ['Only messages for this account at the provider.'],
    'query.processing_state': ['Only receipts in this state.'],
    endpoint: [
      'The public `https` address that receives events.',
      'https://hooks.example.com/dodeca',
    ],
    event_filter: ['Which events are sent.'],
    types: ['Types of events, or patterns such as `job.*`.'],
    secret: ['Signs each request; shown only here.', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    attempt_count: ['How many attempts have begun.', 1],
    last_http_status: ['The status that the endpoint answered last.', 503],
    last_error_code: ['Why the last attempt failed.', 'timeout'],
    ordering: ['Whether events of one aggregate wait for each other.'],
    since: ['The beginning of the time range, inclusive.'],
    until: ['The end of the time range, exclusive.'],
    provider: ['The provider that signs the messages.', 'stripe'],
    event_type: ['The type of the event.', 'job.succeeded'],
    response_excerpt: ['The first bytes of the reply of the endpoint.', 'service unavailable'],
    duration_ms: ['How long the attempt took.', 184],
  },
}
