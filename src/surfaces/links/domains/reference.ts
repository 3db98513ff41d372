/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const domainsReference: Reference['members'] = {
  ...ofNoun('NewDomain Domain', {
    owner_id: 'The account or key that claimed the domain.',
    state: 'It serves links only when it is `active`.',
    root_url: 'Where visitors of the bare host name are led; null if nowhere.',
    checked_at: 'When its DNS record was last looked for.',
  }),
  ...ofNoun('ClaimDomain', {
    root_url: 'Where visitors of the bare host name are led; null if nowhere.',
  }),
  ...ofNoun('NewDomain', {
    verification: 'The DNS record that proves that the domain is yours.',
    'verification.method': 'A TXT record is looked for.',
    'verification.record_name': 'The name of the record to add.',
    'verification.record_value': 'The value of the record. It is shown only here.',
    'verification.expires_at': 'Until then the record is looked for.',
    routing: 'How requests for the domain reach the platform.',
    'routing.cname_target': 'The host to which your CNAME record leads.',
  }),
}
