/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const deliveriesReference: Reference['members'] = {
  ...ofNoun('WebhookDelivery WebhookDeliveryInFull', {
    event_id: 'The event that is delivered.',
    subscription_id: 'The subscription that wants it.',
    state: '`pending` until the endpoint took it, or until it is given up.',
    next_attempt_at:
      'Null if nothing will be sent, or if an earlier version of its aggregate goes first.',
    completed_at: 'When it was delivered or given up.',
    aggregate_id: 'The thing that the event is about.',
    aggregate_version: 'The version of that thing.',
    replay_no: 'How often the delivery was replayed.',
  }),
  ...ofNoun('WebhookDeliveryAttempt', {
    delivery_id: 'The delivery that was attempted.',
    attempt_no: 'The number of the attempt, from 1.',
    started_at: 'When it began.',
    http_status: 'What the endpoint answered; null if it did not.',
    error_code: 'Why it failed.',
    timings: 'Where the time went; null if nothing was sent.',
    'timings.dns_ms': 'Milliseconds until the address was known.',
    'timings.connect_ms': 'Milliseconds to connect.',
    'timings.tls_ms': 'Milliseconds for the handshake of TLS.',
    'timings.first_byte_ms': 'Milliseconds until the first byte of the reply.',
    'timings.total_ms': 'Milliseconds of the whole attempt.',
    remote_ip: 'The address that was reached.',
    secret_version: 'The version of the secret that signed it.',
    replay_id: 'The replay to which it belongs; null if to none.',
  }),
  ...ofNoun('WebhookDeliveryInFull', {
    body_sha256: 'The checksum of the bytes that are sent. They never change.',
    attempts: 'Every attempt, in order.',
    replays: 'The replays of the delivery.',
    'replays.id': 'The id of the replay.',
    'replays.actor': 'Who asked for it.',
    'replays.created_at': 'When it was asked for.',
  }),
  ...ofNoun('ReplayWebhookDeliveryReply', {
    id: 'The id of the delivery.',
    event_id: 'The event that is sent again.',
    status: 'The delivery waits to be sent.',
    replay_id: 'The id of this replay.',
  }),
}
