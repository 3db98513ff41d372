/**
 * Finds the deployments that may answer a call, in the order in which they are tried. A tenant's
 * own alias overrides the platform's. A deployment of another tenant gets the same error as a
 * missing deployment.
 */
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { ensureConfigured } from './configured.ts'
import type { Candidate } from './known-models.ts'

export type Candidates = readonly [Candidate, ...Candidate[]]

export type Needed = {
  readonly capability: readonly string[]
  readonly input_tokens: number
  readonly max_output: number
  /** Which of them may have what the call sends and offers. */
  may?(candidate: Candidate): boolean
}

export async function findCandidates(
  deps: Pick<Deps, 'kernel' | 'providers' | 'policy' | 'models'>,
  tenant_id: string,
  needed: Needed & { readonly model: string },
): Promise<Candidates> {
  return chooseFrom(await findModel(deps, tenant_id, needed.model), needed)
}

/** Not in a transaction, because it may have to wait for a connection. */
export async function findModel(
  deps: Pick<Deps, 'kernel' | 'providers' | 'policy' | 'models'>,
  tenant_id: string,
  model: string,
): Promise<readonly Candidate[]> {
  const { configured } = deps.providers
  if (configured) await ensureConfigured(deps)
  const found = await deps.models.find(tenant_id, model)
  // Without a provider of the platform, a tenant may have its own.
  if (!configured && !found.some(one => one.own_provider)) {
    throw problem('service_unavailable', { retry_after: 60 })
  }
  return found
}

export function chooseFrom(
  found: readonly Candidate[],
  { capability, input_tokens, max_output, may = () => true }: Needed,
): Candidates {
  const active = found.filter(one => one.state === 'active')
  // At a provider that its tenant has disabled, a model answers no call: the next of the alias does.
  const open = active.filter(one => !one.own_provider || one.own !== null)
  if (open.length === 0) {
    const is_back_later = active.length > 0 || found.some(one => one.state === 'draining')
    throw is_back_later
      ? problem('service_unavailable', { retry_after: 30 })
      : problem('model_not_found')
  }
  const able = open.filter(
    one => may(one) && capability.every(name => one.capability.includes(name)),
  )
  if (able.length === 0) {
    const detail = `The model has no deployment with ${capability.join(', ')}. Choose a model whose \`capability\` has it.`
    throw problem('model_capability_unsupported', { detail })
  }
  const fitting = able.filter(
    one => max_output <= one.max_output && input_tokens + max_output <= one.max_context,
  )
  const [first, ...others] = fitting
  if (first) return [first, ...others]
  const context = Math.max(...able.map(one => one.max_context))
  const output = Math.max(...able.map(one => one.max_output))
  throw problem('context_length_exceeded', {
    detail: `The input has about ${input_tokens} tokens and the call asks for ${max_output}; the model has a context of ${context} tokens and writes at most ${output}. Shorten the input or ask for less output.`,
  })
}
