/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const subscriptionsReference: Reference['members'] = {
  ...ofNoun(
    'NewWebhookSubscription CreateWebhookSubscriptionBody WebhookSubscriptionWithHealth WebhookSubscription UpdateWebhookSubscriptionBody',
    {
      'event_filter.aggregate_ids': 'Only events about these things.',
      api_version: 'The version of the bodies.',
      max_in_flight: 'How many requests may be open at the endpoint.',
      rate_per_second: 'How many requests are sent a second; null for no limit of its own.',
      description: 'What the subscription is for.',
    },
  ),
  ...ofNoun('NewWebhookSubscription WebhookSubscriptionWithHealth WebhookSubscription', {
    state: 'It gets events while it is `active`.',
    secret_version: 'The version of the secret that signs.',
    paused_reason:
      'Null if a person paused it. `owner_revoked`: its owner may no longer read its types.',
    disabled_reason: 'Why the platform stopped it, such as `failing` or `gone`.',
    disabled_at: 'When it was stopped.',
    verification: 'Whether the endpoint has proven that it wants events.',
    'verification.mode': '`auto` asks the endpoint; `manual` waits for the challenge from you.',
    'verification.expires_at': 'Until then the challenge can be answered.',
  }),
  ...ofNoun('CreateWebhookSubscriptionBody', {
    verification: '`auto` asks the endpoint; `manual` waits for the challenge from you.',
  }),
  ...ofNoun('WebhookSubscriptionWithHealth', {
    health: 'How the endpoint has answered lately.',
    'health.breaker': 'Whether requests are sent, or held because the endpoint fails.',
    'health.open_until': 'When the next request is tried after failures.',
    'health.not_before': 'Until then nothing is sent, because the endpoint asked for time.',
    'health.in_flight': 'Requests that are open now.',
    'health.pending': 'Deliveries that wait, counted up to 10,000.',
    'health.oldest_pending_at': 'The time of the oldest event that waits.',
    'health.consecutive_failures': 'How many attempts have failed in a row.',
    'health.last_success_at': 'When the endpoint last took an event.',
    'health.p50_ms': 'Half of the attempts are faster than this.',
    'health.p95_ms': 'All but a twentieth of the attempts are faster than this.',
    'health.bulkhead': '`slow` endpoints have senders of their own, so that they delay no others.',
  }),
  ...ofNoun('ReplayWebhookSubscriptionReply', {
    id: 'The id of the job.',
    job_id: 'The job that sends the events again.',
    status: 'The job waits or runs.',
    replay_id: 'The id of this replay.',
  }),
  ...ofNoun('ReplayWebhookSubscriptionBody', {
    only: '`failed`: what was given up. `missed`: what was never made. `all`: every event again.',
  }),
  ...ofNoun('RotateWebhookSecretReply', {
    secret_version: 'The version of the new secret.',
    previous_valid_until: 'Until then the secret before it signs, too.',
  }),
  ...ofNoun('RotateWebhookSecretBody', {
    overlap_seconds: 'How long the secret before it still signs.',
  }),
  ...ofNoun('TestWebhookSubscriptionReply', {
    id: 'The id of the delivery.',
    status: 'The state of the delivery.',
    event_id: 'The id of the test event.',
  }),
  ...ofNoun('TestWebhookSubscriptionBody', {
    aggregate_id: 'The thing that the test event is about. Without it, one is made up.',
    aggregate_version: 'The version of that thing.',
  }),
  ...ofNoun('VerifyWebhookSubscriptionReply', {
    id: 'The id of the subscription.',
    state: 'The state of the subscription.',
  }),
  ...ofNoun('VerifyWebhookSubscriptionBody', {
    challenge: 'The challenge that the endpoint got, if it is to be verified by hand.',
  }),
}
