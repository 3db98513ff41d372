/** The calls of other surfaces: server prompts, streamed in pieces, and embeddings. */
import { newId } from '#dodeca/kernel'
import type { Deps } from './deps.ts'
import { problem } from './errors.ts'
import { embedTexts } from './embeddings/embed-texts.ts'
import type { Inside, Order, Piece, Prompt } from './face.ts'
import { isBlocked } from './operations/call.ts'
import { createCall } from './operations/create-call.ts'
import { draftCall } from './operations/draft-call.ts'
import { runStreamed } from './operations/run-streamed.ts'
import { problemOf } from './operations/settle-call.ts'
import { tagsIn } from './quotas/tags.ts'

export function openFace(deps: Deps): Inside {
  return {
    get configured() {
      return deps.providers.configured
    },
    readTags: tagsIn,
    generate: (order, prompt, signal) => generate(deps, order, prompt, signal),
    embed: (order, model, asked, signal) => embedTexts(deps, order, model, asked, signal),
  }
}

async function* generate(
  deps: Deps,
  order: Order,
  { prompt, input, schema, max_output_tokens }: Prompt,
  signal: AbortSignal,
): AsyncGenerator<Piece> {
  const { kernel } = deps
  const draft = await draftCall(deps, {
    tenant_id: order.tenant_id,
    actor_id: order.principal.id,
    model: 'default',
    content: { input, response_format: { type: 'json_schema', ...schema } },
    parameters: { max_output_tokens },
    prompt,
    workload: 'retrieval_answer',
    class: 'stream',
    // The answer stores the parts that it needs.
    store: false,
    deadline_ms: Math.max(1, order.deadline.getTime() - kernel.clock.nowMs()),
    parent_id: order.parent_id,
    ...(order.tags ? { tags: order.tags } : {}),
  })
  const call = await kernel.db.tx(tx => createCall(tx, deps, draft, { id: newId() }))
  if (isBlocked(call)) throw problem('content_blocked')
  const pieces = runStreamed(deps, call, signal)
  try {
    for (let piece = await pieces.next(); piece; piece = await pieces.next()) {
      if (piece.type === 'text') {
        yield piece
      } else if (piece.type === 'tool_call' || piece.type === 'tool_result') {
        // No tools are offered.
        continue
      } else if (piece.type === 'started') {
        const { model_snapshot } = piece
        yield { type: 'started', operation_id: call.id, model_snapshot, prompt_version: prompt }
      } else if (piece.ending.state !== 'succeeded') {
        throw problemOf(piece.ending)
      } else if (piece.settled) {
        const { spent } = piece.settled
        const { input_units, output_units, cost: cost_amount, currency } = spent
        const usage = { input_units, output_units, cost_amount, currency }
        const finish_reason = piece.ending.finish_reason === 'length' ? 'length' : 'stop'
        yield { type: 'ended', finish_reason, usage }
      } else {
        throw problem('service_unavailable', { retry_after: 1 })
      }
    }
  } finally {
    pieces.leave()
  }
}
