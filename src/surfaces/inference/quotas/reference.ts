/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const quotasReference: Reference['members'] = {
  ...ofNoun('QuotaLine Quota', {
    scope_type: 'Whether it holds for a tenant, a person or key, or a tag.',
  }),
  ...ofNoun('QuotaLine', {
    limit: 'The most that is allowed.',
    used: 'What was used in this time.',
    reserved: 'What calls that run now may still use.',
  }),
  ...ofNoun('Quota', {
    version: 'Increases with every change of the quota.',
  }),
}
