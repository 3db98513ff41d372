/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const replaysReference: Reference['members'] = {
  ...ofNoun('ReplayWebhookSubscriptionBody', {
    since: 'Only events from this time on.',
    types: 'Only events of these types, or patterns such as `job.*`.',
  }),
}
