/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const shorteningReference: Reference['members'] = {
  ...ofNoun('Link', {
    domain: 'The host name of the short URL.',
    domain_id: 'The id of that domain.',
    owner_id: 'The account or key that created the link.',
    state: '`pending_scan` and `active` links can lead on; the others do not.',
    destination_version: 'Increases with each new destination.',
    clicks: 'How often it was followed, robots left out.',
    policy: 'How the link answers.',
  }),
  ...ofNoun('Link CreateLink PatchLink', {
    expires_at: 'When the link ends by itself; null if it does not.',
  }),
  ...ofNoun('LinkPolicy', {
    scan: 'What visitors get while the destination is unchecked.',
    query: 'Whether the query of the short URL is passed on to the destination.',
    cache_seconds: 'How long a browser may cache a temporary redirect.',
    edge_cache_seconds: 'How long a CDN may cache a redirect. A change purges it.',
  }),
  ...ofNoun('CreateLink PatchLink', {
    policy: 'How the link answers. What is left out has its usual value.',
    'policy.scan': 'What visitors get while the destination is unchecked.',
    'policy.query': 'Whether the query of the short URL is passed on to the destination.',
    'policy.cache_seconds': 'How long a browser may cache a temporary redirect.',
    'policy.edge_cache_seconds': 'How long a CDN may cache a redirect. A change purges it.',
  }),
  ...ofNoun('CreateLink', {
    domain: 'The host name of the short URL. Without it, that of the platform.',
    code_length: 'The length of a random code. Longer ones cannot be guessed.',
  }),
  ...ofNoun('CreateLinks', {
    links: 'The links to create. All of them are created, or none.',
  }),
  ...ofNoun('PatchLink', {
    state: '`disabled` stops the link until its owner makes it `active` again.',
    domain: 'It can never change, so a request with it is refused.',
    code: 'It can never change, so a request with it is refused.',
  }),
}
