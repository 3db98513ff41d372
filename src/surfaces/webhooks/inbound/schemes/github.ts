/**
 * GitHub signs neither a time nor the id of the delivery. Only the stored ids prevent a message
 * from being processed twice, so the ids are kept for a long time.
 */
import { verifyGithub } from '../../../../kernel/outgoing/vendor-signatures.ts'
import { envelopeOf, headerOf } from './read.ts'
import type { Scheme } from './scheme.ts'

export const github: Scheme = {
  name: 'github',
  verify: (message, trust) => verifyGithub({ ...message, ...trust }),
  envelope: ({ headers }) =>
    envelopeOf(headerOf(headers, 'x-github-delivery'), headerOf(headers, 'x-github-event')),
  identified: () => 'in the header X-GitHub-Delivery',
  received: { status: 202, body: null },
}
