/** What jobs ask of identity: what people and API keys hold at the moment when work is done for them. */
import type { Face as Identity } from '../identity/face.ts'

export type Rights = Pick<Identity, 'grantsOf' | 'recentGrantsOf'>
