/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const connectorsReference: Reference['members'] = {
  ...ofNoun('Connector ChangeConnector', {
    state: 'A `paused` connector reads nothing.',
  }),
  ...ofNoun('Connector CreateConnector', {
    kind: 'Whether it reads a web site, or files that are uploaded.',
  }),
  ...ofNoun('Connector', {
    collection_id: 'The collection into which it writes.',
    error_code: 'Why the last sync failed.',
    job_id: 'The job of the last sync.',
    version: 'Increases with each change of the connector.',
  }),
}
