/** What webhooks refuses. What is absent and what is another tenant's get the same 404. */
import { problemsOf } from '../../kernel/errors/problem.ts'

export const errors = {
  subscription_not_found: { status: 404, title: 'There is no such webhook subscription' },
  delivery_not_found: { status: 404, title: 'There is no such delivery' },
  event_not_found: { status: 404, title: 'There is no such event' },
  inbound_source_not_found: { status: 404, title: 'There is no such inbound source' },
  inbound_receipt_not_found: { status: 404, title: 'There is no such receipt' },
  subscription_not_active: { status: 409, title: 'Nothing is sent to this subscription now' },
  payload_purged: { status: 409, title: 'What would be sent is not kept any more' },
  verification_expired: { status: 409, title: 'The challenge is not valid any more' },
  cooldown: { status: 409, title: 'It was taken up again too recently', retryable: true },
  too_many_live_secrets: { status: 409, title: 'Three secrets sign already' },
  endpoint_not_allowed: { status: 422, title: 'This address may not be sent to' },
  event_type_unknown: { status: 422, title: 'An event type does not exist' },
  api_version_unsupported: { status: 422, title: 'This version of the payload does not exist' },
  verification_failed: { status: 422, title: 'The endpoint did not answer the challenge' },
  envelope_invalid: { status: 400, title: 'The message has not the form of its provider' },
} as const

export const problem = problemsOf(errors)
