/** The embedding profiles of this process, and which one a new collection gets. */
import { StartError } from '../../../kernel/errors/start-error.ts'
import type { Profiles } from '../deps.ts'
import { hashNgram } from '../embedding/hash-ngram.ts'
import type { EmbeddingProfile } from '../embedding/profile.ts'
import type { Kernel } from '../settings.ts'

export function openProfiles({ settings }: Pick<Kernel, 'settings'>): Profiles {
  const all: readonly EmbeddingProfile[] = [hashNgram]
  const wanted = settings['retrieval.default_profile']
  const find = (id: string) => all.find(one => one.id === id)
  if (wanted !== 'auto' && !find(wanted)) {
    const ids = all.map(one => one.id).join(', ')
    throw new StartError(`RETRIEVAL_DEFAULT_PROFILE: ${wanted} is not one of auto, ${ids}.`)
  }
  return { all, find, defaultFor: () => find(wanted) ?? hashNgram }
}
