/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const intentsReference: Reference['members'] = {
  ...ofNoun('NotificationDetail', {
    'events.provider': 'The provider that reports.',
  }),
  ...ofNoun('CancelNotificationBody', {
    reason: 'Why it is cancelled. It is kept in the audit log.',
  }),
  ...ofNoun('Notification NotificationDetail', {
    state: 'What has become of it over all channels.',
    'channels.state': 'What has become of it on this channel.',
  }),
  ...ofNoun('NotificationDetail', {
    'attempts.state': 'How the attempt went. `unknown`: it is not known whether it arrived.',
  }),
  ...ofNoun('CancelNotificationReply', {
    state: 'The state after the request.',
  }),
  ...ofNoun('Notification NotificationDetail', {
    channels: 'What has become of it on each channel.',
    idempotency_key: 'The key of the request that created it.',
    batch_id: 'The batch to which it belongs; null if to none.',
    digest_id: 'The digest into which it is collected; null if into none.',
    metadata: 'Your own words about it, from the request.',
  }),
  ...ofNoun('NewNotification NewNotificationBatch', {
    'template.name': 'The name of the template.',
    'template.version': 'A certain published version. Without it, the newest one.',
    metadata: 'Your own words about it, returned with it.',
  }),
  ...ofNoun('NewNotification', {
    'digest.key': 'Messages to one recipient with one key are collected.',
    'dedupe.key': 'Of the messages with one key, only the first is sent.',
  }),
  ...ofNoun('ExplainNotificationReply', {
    channels: 'The decision for each channel.',
    'channels.decision': 'Whether it would be sent now, later, or not at all.',
    'channels.at': 'When it would be sent, if later.',
  }),
  ...ofNoun('NotificationDetail', {
    attempts: 'Every attempt to send it.',
    'attempts.id': 'The id of the attempt.',
    'attempts.intent_id': 'The notification.',
    'attempts.next_attempt_at': 'When it is tried again; null if it is not.',
    'attempts.created_at': 'When the attempt was made.',
    'attempts.updated_at': 'When the attempt last changed.',
    events: 'What providers have reported.',
    'events.event_id': 'The id that the provider gave the report.',
    'events.type': 'What the provider reports, such as `delivered`.',
    'events.occurred_at': 'When it happened, as the provider says.',
    decisions: 'What the rules have decided, by channel.',
    'decisions.until': 'Until when the channel is held.',
    'decisions.decided_at': 'When it was decided.',
  }),
  ...ofNoun('CancelNotificationReply', {
    id: 'The id of the notification.',
  }),
}
