/** The embedding profiles of this process, and the choice of the profile for a new collection. */
import type { Needs, Profiles } from '../deps.ts'
import { hashNgram } from '../embedding/hash-ngram.ts'
import type { EmbeddingProfile } from '../embedding/profile.ts'
import { openUse512 } from '../embedding/use-512.ts'
import { modelProfile } from '../embedding/model-profile.ts'
import { isInstalled } from '../installed.ts'
import { embeddingModel, type Kernel } from '../settings.ts'

export function openProfiles(
  kernel: Pick<Kernel, 'settings' | 'clock' | 'busy'>,
  needs: Pick<Needs, 'models'>,
): Profiles {
  const { settings } = kernel
  const use512 = openUse512(kernel.busy)
  const model = embeddingModel(settings)
  const all: readonly EmbeddingProfile[] = [
    hashNgram,
    ...(isInstalled('use-512@1') ? [use512] : []),
    ...(model ? [modelProfile(kernel, needs, model)] : []),
  ]
  const wanted = settings['retrieval.default_profile']
  const find = (id: string) => all.find(one => one.id === id)
  return {
    all,
    find,
    // `auto`: on PostgreSQL's documentation use-512 gained 0.003 nDCG@10 at best, less than hash-ngram.
    defaultFor: () => find(wanted) ?? hashNgram,
    close: use512.close,
  }
}
