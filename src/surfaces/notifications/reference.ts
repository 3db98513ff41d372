/** The explanations of this surface in the published document. */
import type { Reference } from '#dodeca/kernel'
import { batchesReference } from './batches/reference.ts'
import { categoriesReference } from './categories/reference.ts'
import { destinationsReference } from './destinations/reference.ts'
import { inboxReference } from './inbox/reference.ts'
import { intentsReference } from './intents/reference.ts'
import { preferencesReference } from './preferences/reference.ts'
import { suppressionsReference } from './suppressions/reference.ts'
import { templatesReference } from './templates/reference.ts'

const reason_of_channel =
  'The reason for the state. `sender_revoked` means that the sender has lost the right to send it.'

export const reference: Reference = {
  introduction:
    'Messages to people by mail, SMS, push and an in-app inbox: one at a time or 100,000 in one request, rendered from versioned templates in the language of the recipient, sent when their preferences allow it, with the outcome of every attempt.',
  members: {
    ...inboxReference,
    ...categoriesReference,
    ...destinationsReference,
    ...templatesReference,
    ...intentsReference,
    ...batchesReference,
    ...suppressionsReference,
    ...preferencesReference,
    'path.token': ['The token of the link in the mail.'],
    'updateInboxItem.id': ['The id of the item.'],
    'query.archived': ['True: only archived items. Without it, only the others.'],
    recipient: ['The recipient. Send exactly one of the four properties.'],
    'Recipient.user_id': ['An account: its proven address, its devices and its in-app inbox.'],
    'Recipient.destination_id': ['A destination that was registered before.'],
    'Recipient.email': ['An email address.', 'ann@example.org'],
    'Recipient.phone': ['A number with its country code.', '+4930901820'],
    recipient_ref: [
      'The recipient as the platform stored it.',
      'user:01990f3e-5a1c-7c44-9d55-2f6f0c3a1b22',
    ],
    category: [
      'The kind of message. Preferences and permissions are set for each category.',
      'order.updates',
    ],
    template: ['The template, by default its newest published version.'],
    template_version: ['The template and the version that is rendered.', 'parcel@1'],
    'NewNotification.data': ['The variables of the template.', { parcel: 'A-17' }],
    'BatchHeader.data': ['The variables of the template.', { parcel: 'A-17' }],
    data_ref: ['The encrypted copy of the data.'],
    data_schema: ['The JSON Schema (2020-12) that validates the data.'],
    channels: [
      'The channels. The default is the channels of the category for which the template has texts.',
    ],
    channel: ['How the message travels.', 'email'],
    priority: ['The lane: `critical` skips preferences and quiet hours and goes first.', 'normal'],
    locale: ['The language, as a BCP 47 tag; `de-AT` falls back to `de`.', 'de-AT'],
    default_locale: ['The language of the texts in `channels`.', 'en'],
    locales: ['The texts in further languages.'],
    scheduled_at: ['When to send it; without it, now.'],
    expires_at: ['After this time it is not sent any more.'],
    dedupe: [
      'A second message with this key within the window is suppressed, unless the first one ended without being sent.',
    ],
    digest: [
      'Messages to this recipient with this key become one message when the window ends, which the first of them begins. Its template gets `events`, the `data` of each (at most 100), and their number as `total`. A digest has no `scheduled_at`.',
    ],
    window_seconds: ['The length of the window in seconds.', 3600],
    dedupe_key: ['Lets one recipient appear twice in a batch.', 'invoice-7'],
    emit_events: ['Whether the members of the batch announce their states as events.', false],
    state: ['The state.'],
    status: ['The same as `state`.'],
    'NotificationTemplate.status': [
      'Whether it can be sent: only a published version can.',
      'published',
    ],
    reason: ['The reason for the state.', 'preference_disabled'],
    'Suppression.reason': ['Why the address is suppressed.', 'hard_bounce'],
    'Notification.reason': [reason_of_channel, 'preference_disabled'],
    'NotificationDetail.reason': [reason_of_channel, 'preference_disabled'],
    next_at: ['The time of the next attempt.'],
    wire_at: ['The time from which the message may have reached its provider.'],
    attempt_no: ['The number of the attempt, from 1.', 1],
    provider: ['The provider that carried it.', 'relay1'],
    provider_message_id: ['The id that the provider gave to the message.', 'SM5ef8732a'],
    error_code: ['Why the attempt failed.', 'provider_unavailable'],
    rendered_sha256: ['The SHA-256 of the rendered message, with tokens and links masked.'],
    sha256: ['The SHA-256 of the rendered message, with tokens and links masked.'],
    destination: ['The address. Replies mask it.', 'a***@example.org'],
    'NewSuppression.destination': ['The address to suppress.', 'ann@example.org'],
    destination_hash: ['A hash of the address, keyed by the tenant.'],
    rule: [
      'The rule that decided about the channel: `expiry`, `sender`, `provider`, `destination`, `preference`, `suppression` or `quiet_hours`.',
      'quiet_hours',
    ],
    outcome: ['The decision of the rule.', 'hold'],
    because: ['The reason in a sentence.'],
    effect: ['Whether all, some or none of the messages were stopped.', 'full'],
    preferences: ['All preferences. A preference that is not in the list has its default.'],
    enabled: ['Whether messages of this category go over this channel.', true],
    quiet_hours: [
      'A daily window in which messages wait. A preference without it has none, even if a less specific preference has one.',
    ],
    start: ['Local time at which quiet hours start.', '22:00'],
    end: ['Local time at which quiet hours end.', '07:00'],
    days: ['The weekdays on which quiet hours start; 1 is Monday.', [1, 2, 3, 4, 5]],
    timezone: ['A name of the IANA list.', 'Europe/Berlin'],
    subscription: ['The push subscription as the browser returns it.'],
    token: ['The token of the device or of the link.', 'fGx1-device-token'],
    code: ['The six digits that were sent to the destination.', '402913'],
    verified_at: ['When the destination was verified with its code; null until then.'],
    disabled_at: ['When the push service reported that the device no longer exists.'],
    class: ['The kind of category. People can always unsubscribe from marketing.', 'transactional'],
    default_channels: ['The channels that are used if a message names none.'],
    user_can_disable: ['Whether people can switch the category off.', true],
    respects_quiet_hours: ['Whether messages wait for quiet hours to end.', true],
    unsubscribe: ['Whether mails carry `List-Unsubscribe`.', false],
    default_ttl_seconds: ['How long a message without `expires_at` may wait.', 259_200],
    on_unknown: [
      'What happens if it is not known whether a message arrived: send the same message again, or stop.',
      'resend_same_ref',
    ],
    counts: [
      'How many notifications are in each state.',
      { queued: 0, sent: 998, failed: 0, suppressed: 2 },
    ],
    rejected: ['The first hundred lines that could not be used.'],
    line: ['The line of the body, or the number of the recipient, from 1.', 33],
    'RejectedRecipient.code': ['Why the line was not used.', 'destination_not_found'],
    eta_seconds: ['How many seconds the rest takes at the speed so far.', 42],
    unread: ['Only items that are not read.', true],
    sequence: ['The position of the item in the inbox.', 17],
    before: ['Marks the items that arrived up to this time.'],
    subject: [
      'The subject of the mail, as a Liquid template.',
      'Parcel {{ parcel }} is on its way',
    ],
    body: ['The text, as a Liquid template.', '{{ parcel }} arrives today.'],
    title: ['The title, as a Liquid template.', 'Your parcel is on its way'],
    'RenderedNotification.subject': ['The rendered subject or title.', 'Parcel A-17 is on its way'],
    url: ['The link of the message: an https URL or a path.', '/orders/A-17'],
  },
}
