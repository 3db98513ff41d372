/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const connectionsReference: Reference['members'] = {
  ...ofNoun('Connection CreateConnection ChangeConnection', {
    client_id: 'The id of the client at the provider.',
    'role_map.role_id': 'The role that is given.',
  }),
  ...ofNoun('Connection CreateConnection ChangeConnection', {
    name: 'What the button of the log-in says.',
    issuer: 'The address of the OpenID provider; null for one without OpenID.',
    endpoints: 'The addresses of a provider without OpenID.',
    'endpoints.authorization': 'Where the browser is sent.',
    'endpoints.token': 'Where the code is exchanged.',
    'endpoints.userinfo': 'Where the facts about the person are read.',
    'endpoints.emails': 'Where the mail addresses are read, if `userinfo` does not have them.',
    fields: 'The names of these facts in the reply of a provider without OpenID.',
    'fields.subject': 'The field with the id of the person.',
    'fields.email': 'The field with the mail address.',
    'fields.email_verified': 'The field that says whether the address is verified.',
    'fields.name': 'The field with the name of the person.',
    scopes: 'What is asked of the provider; null for the usual ones.',
    trust_email: 'Whether its addresses count as verified, in proven domains of the tenant.',
    jit: 'Whether a person without an account gets one at the first log-in.',
    mfa_values: 'Values of `amr` or `acr` that mean that it has checked a second factor.',
    role_map: 'Roles that a log-in gives, by claims of the provider.',
    'role_map.claim': 'The claim to look at.',
    'role_map.value': 'The value that it must have.',
    apple: 'What Apple needs in place of a client secret.',
    'apple.team_id': 'The id of your team at Apple.',
    'apple.key_id': 'The id of the key at Apple.',
    'apple.private_key': 'The private key. It is never shown again.',
    client_secret: 'The secret of the client at the provider. It is never shown again.',
    state: 'A `disabled` connection accepts no log-in.',
  }),
  ...ofNoun('Connection', {
    kind: '`oidc` is OpenID Connect, `oauth2` a provider without it.',
    preset: 'The known provider whose addresses and fields are used.',
    editor_id: 'Who changed it last. `role_map` gives at most what this person may give.',
  }),
  ...ofNoun('CreateConnection', {
    kind: '`oidc` is OpenID Connect, `oauth2` a provider without it.',
    preset: 'A known provider, whose addresses and fields are filled in.',
  }),
  ...ofNoun('ExternalIdentity', {
    provider: 'The name of the provider, or the id of a connection.',
    connection_name: 'What the button of the connection says.',
    issuer: 'The address of the provider.',
    subject: 'The id of the person there.',
  }),
  ...ofNoun('BeginOidcLoginBody', {
    purpose: '`login` logs in; `link` adds the identity to the account that asks.',
    state: 'It comes back with the ticket, so that your page can bind it to its browser.',
  }),
}
