/** The refusals of webhooks. Missing resources and those of another tenant get the same 404. */
import { problemsOf } from '#dodeca/kernel'

export const errors = {
  subscription_not_found: {
    status: 404,
    title: 'There is no such webhook subscription',
    cause: "No webhook subscription has this id, or it is another tenant's.",
    cure: 'Find the id with `GET /v1/webhook-subscriptions`.',
  },
  delivery_not_found: {
    status: 404,
    title: 'There is no such delivery',
    cause: 'No delivery has this id, or it was deleted after its retention.',
    cure: 'Find the id with `GET /v1/webhook-deliveries`.',
  },
  event_not_found: {
    status: 404,
    title: 'There is no such event',
    cause: 'No event has this id, you may not read its type, or it is past retention.',
    cure: 'Find the id with `GET /v1/webhook-events`.',
  },
  inbound_source_not_found: {
    status: 404,
    title: 'There is no such inbound source',
    cause: 'No source is configured for this provider and account.',
    cure: 'Configure it with `PUT /v1/inbound-sources/{provider}/{account_ref}`.',
  },
  inbound_receipt_not_found: {
    status: 404,
    title: 'There is no such receipt',
    cause: 'No received message has this id, or it was deleted after its retention.',
    cure: 'Find the id with `GET /v1/inbound-receipts`.',
  },
  subscription_not_active: {
    status: 409,
    title: 'Nothing is sent to this subscription now',
    cause: 'The subscription is paused, disabled or not verified.',
    cure: 'Verify or resume it; `GET /v1/webhook-subscriptions/{id}` says which.',
  },
  payload_purged: {
    status: 409,
    title: 'What would be sent is not kept any more',
    cause: 'The payload was deleted after its retention.',
    cure: 'Read the current state of the resource instead.',
  },
  verification_expired: {
    status: 409,
    title: 'The challenge is not valid any more',
    cause: 'The challenge was not answered in time.',
    cure: 'Ask for a new one with `POST /v1/webhook-subscriptions/{id}/verify`.',
  },
  cooldown: {
    status: 429,
    title: 'It was taken up again too recently',
    retryable: true,
    cause: 'The same was done a moment ago.',
    cure: 'Wait as long as `Retry-After` says, then try again.',
  },
  too_many_live_secrets: {
    status: 429,
    title: 'Three secrets sign already',
    cause: 'At most three secrets may sign at the same time.',
    cure: 'Wait until the oldest one ends, then rotate again.',
  },
  endpoint_not_allowed: {
    status: 422,
    title: 'This address may not be sent to',
    cause:
      'The address is not public, has a port or scheme that is not allowed, or has credentials in it.',
    cure: 'Use a public `https` address on an allowed port.',
  },
  api_version_unsupported: {
    status: 422,
    title: 'This version of the payload does not exist',
    cause: 'Payloads do not exist in this version.',
    cure: 'Use a version that `GET /v1/webhook-event-types` lists.',
  },
  verification_failed: {
    status: 422,
    title: 'The endpoint did not answer the challenge',
    cause: 'The endpoint did not return the challenge with a 2xx status in time.',
    cure: 'Let the endpoint answer with the JSON that it received in `challenge`, then verify again.',
  },
  envelope_invalid: {
    status: 400,
    title: 'The message does not have the form of its provider',
    cause: 'The message does not have the form of its provider.',
    cure: 'Check that the provider sends its own format to this address, and that no proxy changes it.',
  },
} as const

export const problem = problemsOf(errors)
