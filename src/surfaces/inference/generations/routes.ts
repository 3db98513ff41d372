/**
 * The generation endpoints, exactly as the specification defines them: the request contains a
 * prompt, and the reply contains text. The model is the platform's `default`.
 */
import { closed, currentRequestId, reply, routesOf, text } from '#dodeca/kernel'
import type { Principal, Reader, RequestKey, SseEvent } from '#dodeca/kernel'
import { Type } from 'typebox'
import type { Deps } from '../deps.ts'
import { call_fails, lease_seconds } from '../inferences/routes.ts'
import { blockingCalls, type Finished } from '../operations/call-blocking.ts'
import { streamedCalls, type Writer } from '../operations/call-streamed.ts'
import { readOutput } from '../operations/contents.ts'
import { draftCall, type CallDraft } from '../operations/draft-call.ts'
import { findOperation } from '../operations/find-operation.ts'
import type { OperationRow } from '../operations/read-operation.ts'

const path = '/v1/generations'
const blocking_tokens_max = 800
const streaming_tokens_max = 1200

export const Prompt = text(20_000)
const Generate = closed({ prompt: Prompt }, { title: 'CreateGeneration' })
const Generated = Type.Object(
  { text: Type.String(), request_id: Type.String({ maxLength: 100 }) },
  { title: 'Generation' },
)

type Context = {
  readonly principal: Principal
  readonly body: { readonly prompt: string }
  readonly key: RequestKey | null
}

const asks = {
  idempotency: 'optional',
  lease_seconds,
  body_limit_bytes: 512 * 1024,
  body: Generate,
  fails: call_fails,
} as const

const { open, post } = routesOf<Deps>({ permission: 'inference.generations.create' })

export const generationRoutes = open({
  createGeneration: post(
    path,
    'Generate text from a prompt',
    {
      sends: ['location'],
      description:
        'The output has at most 800 tokens. The configuration of the platform chooses the model.',
      ...asks,
      record: 'reference',
      reply: Generated,
    },
    {
      prepare: async (context, deps) => await draft(deps, context, 'call'),
      again: async ({ tx, principal, resource_ref }, deps) => {
        const id = resource_ref.split('/').at(-1) ?? ''
        return await rendered(tx, { ended: await findOperation(tx, principal, id) }, deps)
      },
      operation: blockingCalls(rendered),
    },
  ),

  streamGeneration: post(
    `${path}/stream`,
    'Generate text from a prompt and stream it',
    {
      description:
        'The output has at most 1200 tokens. The events are `token`, then exactly one of `done` and `error`. The headers are sent with the first token, so that an earlier failure gets an error status.',
      ...asks,
      reply: Type.String(),
    },
    {
      prepare: async (context, deps) => await draft(deps, context, 'stream'),
      streaming: streamedCalls(generationWriter),
    },
  ),
})

async function draft(
  deps: Deps,
  { principal, body, key }: Context,
  kind: 'call' | 'stream',
): Promise<CallDraft> {
  const is_stream = kind === 'stream'
  const { settings } = deps.kernel
  return await draftCall(deps, {
    tenant_id: principal.tenant_id,
    actor_id: principal.id,
    key,
    model: 'default',
    content: { input: body.prompt },
    parameters: { max_output_tokens: is_stream ? streaming_tokens_max : blocking_tokens_max },
    prompt: 'plain@1',
    workload: is_stream ? 'generation_stream' : 'generation',
    class: kind,
    deadline_ms: settings[is_stream ? 'inference.stream_max_ms' : 'inference.deadline_ms'],
  })
}

async function rendered(reader: Reader, done: Finished, { kernel }: Deps) {
  const [id, said] =
    'ended' in done
      ? [done.ended.id, await textOf(reader, kernel, done.ended)]
      : [done.call.id, done.result.text]
  const body = { text: said, request_id: currentRequestId() ?? '' }
  return reply(200, body, { location: `/v1/inferences/${id}` })
}

async function textOf(reader: Reader, kernel: Deps['kernel'], row: OperationRow) {
  return (await readOutput(reader, kernel, row))?.text ?? ''
}

function generationWriter(): Writer {
  const token = (said: string): SseEvent => ({ event: 'token', data: { text: said } })
  const done = (response_id: string): SseEvent => ({
    event: 'done',
    data: { response_id },
    terminal: true,
  })
  const error: SseEvent = { event: 'error', data: { code: 'generation_failed' }, terminal: true }
  return {
    isFirst: piece => piece.type === 'text',
    started: () => [],
    text: said => [token(said)],
    toolCall: () => [],
    ended: ({ call, result }) => [result.ending.state === 'succeeded' ? done(call.id) : error],
    storedStart: () => [],
    stored: ({ id, state }) => [state === 'succeeded' ? done(id) : error],
    broken: () => error,
  }
}
