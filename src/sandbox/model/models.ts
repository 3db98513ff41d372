/** The models of this vendor. */
import { ApiError, contextTooLong, unknownModel } from './api-error.ts'
import type { Prompt } from './prompt.ts'
import { countTokens } from './tokens.ts'

type Model = { readonly id: string; readonly kind: 'text' | 'embedding'; readonly context: number }

const models: readonly Model[] = [
  { id: 'sandbox-large', kind: 'text', context: 1_000_000 },
  { id: 'sandbox-small', kind: 'text', context: 16_000 },
  { id: 'sandbox-embedding', kind: 'embedding', context: 1_000_000 },
]

export function listModels(): object {
  return { object: 'list', data: models.map(viewOf) }
}

export function showModel(id: string): object {
  const model = models.find(one => one.id === id)
  if (!model) throw unknownModel(id)
  return viewOf(model)
}

/** Throws if the model cannot process this prompt. */
export function checkModel(prompt: Prompt, kind: Model['kind']): void {
  const model = models.find(one => one.id === prompt.model)
  if (!model) throw unknownModel(prompt.model)
  if (model.kind !== kind) {
    throw new ApiError(400, `The model '${model.id}' does not support this endpoint.`, {
      param: 'model',
    })
  }
  if (countTokens(prompt.text) > model.context) throw contextTooLong()
}

/** Returns the version that a model name refers to now. */
export function snapshotOf(model: string): string {
  return `${model}-2026-01-01`
}

function viewOf({ id }: Model): object {
  return { id, object: 'model', created: 1_767_225_600, owned_by: 'sandbox' }
}
