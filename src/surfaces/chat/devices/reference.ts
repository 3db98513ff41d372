/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const devicesReference: Reference['members'] = {
  ...ofNoun('Device', {
    user_id: 'The account to which the device belongs.',
    last_seen_at: 'When the device was last connected or registered.',
  }),
  ...ofNoun('PutDevice', {
    push_provider: 'The service by which pushes reach the device.',
    push_subscription: 'What `pushManager.subscribe` returned in a browser, as JSON.',
    'push_subscription.endpoint': "The address of the browser's push service.",
    'push_subscription.keys': 'The keys with which pushes are encrypted.',
    'keys.p256dh': 'The public key of the browser.',
    'keys.auth': 'The secret that the browser shares with the sender.',
  }),
}
