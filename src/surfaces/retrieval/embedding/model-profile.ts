/**
 * A profile whose vectors come from an embedding model of inference. Its id names the model and the
 * length of its vectors. A reply of another model or length is refused. So an index never mixes two
 * models, even if the alias is moved to another model.
 */
import { Problem } from '#dodeca/kernel'
import { profileId, type Kernel } from '../settings.ts'
import type { Needs } from '../deps.ts'
import { normalized } from './hash-ngram.ts'
import { ProfileUnavailable, type EmbeddingProfile } from './profile.ts'

/** The alias of inference for its configured embedding model. */
const alias = 'embedding'
const passage_seconds = 60

export function modelProfile(
  { settings, clock }: Pick<Kernel, 'settings' | 'clock'>,
  { models }: Pick<Needs, 'models'>,
  named: { readonly model: string; readonly dimensions: number },
): EmbeddingProfile {
  const { model, dimensions } = named
  const id = profileId(named)
  return {
    id,
    dimensions,
    semantic: true,
    languages: null,
    embed: async (texts, purpose, payer, signal) => {
      const seconds = purpose === 'query' ? settings['retrieval.search_seconds'] : passage_seconds
      const { principal_id, ...rest } = payer
      const late = AbortSignal.timeout(seconds * 1000)
      const order = {
        ...rest,
        principal: { id: principal_id, kind: 'account' },
        workload: 'retrieval_embedding',
        deadline: new Date(clock.nowMs() + seconds * 1000),
      } as const
      const made = await models
        .embed(order, alias, { texts, dimensions }, signal ? AbortSignal.any([signal, late]) : late)
        .catch((cause: unknown) => {
          signal?.throwIfAborted()
          // The caller sent the tag, so the caller has to know.
          if (cause instanceof Problem && cause.code === 'too_many_tags') throw cause
          throw new ProfileUnavailable(id, String(cause), { cause })
        })
      const { vectors, model_snapshot } = made
      if (!isOf(model, model_snapshot)) {
        throw new ProfileUnavailable(id, `The alias ${alias} stands for ${model_snapshot} now.`)
      }
      const other = vectors.find(vector => vector.length !== dimensions)
      if (other || vectors.length !== texts.length) {
        const reason = `The model returned ${vectors.length} vectors of ${other?.length ?? dimensions} dimensions.`
        throw new ProfileUnavailable(id, reason)
      }
      return vectors.map(normalized)
    },
  }
}

/** A provider may add a date to the name: `model-2026-01-01`. */
function isOf(model: string, snapshot: string): boolean {
  return snapshot.startsWith(model) && /^(-\d[\d-]*)?$/.test(snapshot.slice(model.length))
}
