/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const destinationsReference: Reference['members'] = {
  ...ofNoun('Destination NewDestination', {
    provider: 'The service that reaches the device.',
  }),
  ...ofNoun('GetNotificationPushKeyReply', {
    public_key: 'The key that `pushManager.subscribe` takes as `applicationServerKey`.',
  }),
  ...ofNoun('Destination', {
    user_id: 'The account to which the destination belongs.',
  }),
  ...ofNoun('NewDestination', {
    address: 'The mail address or the number.',
    'subscription.endpoint': "The address of the browser's push service.",
    'subscription.keys': 'The keys with which messages are encrypted.',
    'keys.p256dh': 'The public key of the browser.',
    'keys.auth': 'The secret that the browser shares with the sender.',
  }),
}
