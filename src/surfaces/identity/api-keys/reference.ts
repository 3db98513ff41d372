/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const apiKeysReference: Reference['members'] = {
  ...ofNoun('ApiKey NewApiKey', {
    account_id: 'Whose rights it has at most; null for a key of the organization.',
    made_by: 'The account that created it.',
    name: 'What the key is for, as its maker named it.',
    prefix: 'The beginning of the key, by which it is recognized.',
    state: 'Whether requests with it are accepted.',
    last_used_at: 'When it was last used; null if never.',
    expires_at: 'When it ends by itself; null if it does not.',
    revoked_at: 'When it was revoked.',
  }),
  ...ofNoun('NewApiKey', {
    key: 'The key itself. It is shown only in this reply.',
  }),
  ...ofNoun('CreateApiKeyBody', {
    owner: 'A key of the `organization` stays when its maker leaves. The default is `account`.',
    name: 'What the key is for.',
    expires_at: 'When the key ends by itself.',
  }),
}
