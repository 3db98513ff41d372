/**
 * Embeds texts for another surface. Quota is reserved and settled as for a call, but no input or
 * output is stored.
 */
import { Type } from 'typebox'
import { newId, sql, type Problem, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { Embedded, Order } from '../face.ts'
import { findCandidates } from '../models/find-candidates.ts'
import type { Candidate } from '../models/known-models.ts'
import { countTokens } from '../operations/tokens.ts'
import { safetyIdentifier } from '../prompts/place.ts'
import { ProviderFailure, type Embeddings, type Provider } from '../providers/provider.ts'
import { countOnOwner } from '../quotas/key-owners.ts'
import { reserve } from '../quotas/reserve.ts'
import { keepTags, tagsOf } from '../quotas/tags.ts'
import { settleRun, type Settled, type Spent } from '../quotas/settle.ts'
import { openLedger, writeEnd } from '../operations/ledger.ts'
import type { Call, Workload } from '../operations/call.ts'

/** Of another surface, or of a caller of this one. */
type EmbedOrder = Omit<Order, 'workload' | 'parent_id'> & {
  readonly workload: Workload
  readonly parent_id?: string
}

type Begun = { readonly call: Call; readonly provider: Provider }

export async function embedTexts(
  deps: Deps,
  order: EmbedOrder,
  model: string,
  { texts, dimensions }: { readonly texts: readonly string[]; readonly dimensions?: number },
  signal: AbortSignal,
): Promise<Embedded> {
  let input = 0
  for (const text of texts) input += await countTokens(text)
  const candidates = await findCandidates(deps, order.tenant_id, {
    model,
    capability: ['embedding'],
    // Each text may use the whole context. The provider refuses a text that is too long.
    input_tokens: 0,
    max_output: 0,
  })
  const asked = { model, input, candidates }
  const { call, provider } = await deps.kernel.db.tx(tx => begin(tx, deps, order, asked))
  const { kernel } = deps
  const ledger = openLedger(deps, call)
  const cancelled = deps.calls.enter(call.tenant_id, call.id)
  const began_ms = performance.now()
  let embedded: Embeddings | undefined
  let failure: unknown
  try {
    embedded = await provider.embed(
      {
        operation_id: call.id,
        provider_key: call.id,
        model: call.deployment.model_name,
        texts,
        ...(dimensions === undefined ? {} : { dimensions }),
        safety_identifier: safetyIdentifier(kernel, call.tenant_id, call.actor_id),
        attempts_before: call.attempts - 1,
      },
      {
        signal: AbortSignal.any([signal, cancelled]),
        ledger,
        deadline: order.deadline,
      },
    )
  } catch (error) {
    failure = error
  } finally {
    deps.calls.leave(call.id)
  }
  const spent = spentBy(embedded, failure, ledger.sent(), Math.round(performance.now() - began_ms))
  const settled = await kernel.db.tx(async tx => {
    const end = writeEnd(tx, call, ledger.last())
    const [found] = await Promise.all([settleEmbedding(tx, call, spent), end])
    return found
  })
  if (!embedded || !settled) throw problemOf(failure)
  const { vectors, model_snapshot } = embedded
  const { input_units, output_units, cost: cost_amount, currency } = settled
  const usage = { input_units, output_units, cost_amount, currency }
  return { vectors, dimensions: embedded.dimensions, model_snapshot, usage }
}

type Asked = {
  readonly model: string
  readonly input: number
  readonly candidates: Call['candidates']
}

async function begin(
  tx: Tx,
  deps: Deps,
  order: EmbedOrder,
  { model, input, candidates }: Asked,
): Promise<Begun> {
  const { tenant_id, principal, tags = [] } = order
  const [deployment] = candidates
  const provider = deps.providers.of(deployment)
  if (!provider) throw problem('service_unavailable')
  // A job counts against the day only.
  const kind = order.workload === 'embedding' ? 'call' : 'job'
  await countOnOwner(tx, deps, tenant_id, principal.id)
  await keepTags(tx, deps, tenant_id, tags)
  const id = newId()
  const { created_at, deadline_at } = await insert(tx, order, { id, model, input, deployment })
  reserve(tx, deps, {
    tenant_id,
    actor_id: principal.id,
    operation_id: id,
    run: 1,
    class: kind,
    deployment,
    input,
    output: 0,
    requests: kind === 'call' ? 1 : 0,
    hold: true,
    attempt: 1,
  })
  const call: Call = {
    tenant_id,
    id,
    actor_id: principal.id,
    model,
    workload: order.workload,
    class: kind,
    prompt: 'plain@1',
    content: { input: '' },
    previous_id: null,
    before: [],
    answered: [],
    steps: [],
    in_tools: false,
    parameters: { max_output_tokens: 0 },
    store: false,
    metadata: null,
    tags,
    job_id: null,
    estimated_input: input,
    candidates,
    first_deployment_id: deployment.id,
    deadline_at,
    created_at,
    decided: [],
    run: 1,
    deployment,
    attempts: 1,
  }
  return { call, provider }
}

const Made = Type.Object({ created_at: Type.String(), deadline_at: Type.String() })

type New = {
  readonly id: string
  readonly model: string
  readonly input: number
  readonly deployment: Candidate
}

async function insert(
  tx: Tx,
  { tenant_id, principal, workload, parent_id, deadline, tags = [] }: EmbedOrder,
  { id, model, input, deployment }: New,
) {
  return await tx.one(
    Made,
    sql`
      insert into inference.inference_operations (tenant_id, id, actor_id, model,
        first_deployment_id, model_deployment_id, deployment_tenant_id, workload, state,
        prompt_version, store, parent_id, tags, estimated_input, max_output, started_at, deadline_at)
      values (${tenant_id}, ${id}, ${principal.id}, ${model}, ${deployment.id}, ${deployment.id},
        ${deployment.tenant_id}, ${workload}, 'running', 'none', false, ${parent_id ?? null},
        ${tagsOf(tenant_id, principal.id, tags)}, ${input}, 0, kernel.now(), ${deadline.toISOString()})
      returning created_at, deadline_at`,
  )
}

function spentBy(
  embedded: Embeddings | undefined,
  failure: unknown,
  sent: boolean,
  compute_ms: number,
): Spent {
  const none = { cached_input: 0, output: 0, reasoning: 0, provider_request_id: null, compute_ms }
  if (embedded) {
    const { input_tokens: input, model_snapshot } = embedded
    return { ...none, input, source: 'provider', model_snapshot, as: 'succeeded' }
  }
  const is_ambiguous = failure instanceof ProviderFailure && failure.ambiguous
  const unanswered = is_ambiguous ? 'ambiguous' : 'failed'
  const as = sent ? unanswered : 'released'
  return { ...none, input: 0, source: 'estimated', model_snapshot: null, as }
}

async function settleEmbedding(tx: Tx, call: Call, spent: Spent): Promise<Settled | undefined> {
  const { tenant_id, id, run } = call
  const settled = await settleRun(tx, { tenant_id, operation_id: id, run }, spent)
  if (!settled) return undefined
  const state = spent.as === 'succeeded' ? 'succeeded' : 'failed'
  await tx.run(sql`
    update inference.inference_operations
    set state = ${state}, completed_at = kernel.now(), version = version + 1,
      model_snapshot = ${spent.model_snapshot},
      error_code = case when ${state} = 'failed' then 'service_unavailable' end
    where tenant_id = ${tenant_id} and id = ${id} and state = 'running'`)
  return settled
}

function problemOf(failure: unknown): Problem {
  if (failure instanceof ProviderFailure && failure.code !== 'aborted') {
    return problem(failure.code, {}, { cause: failure })
  }
  return problem('service_unavailable', {}, { cause: failure })
}
