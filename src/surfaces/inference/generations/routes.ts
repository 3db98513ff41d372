/**
 * The generation endpoints, exactly as the specification defines them: the request contains a
 * prompt, and the reply contains text. The model is the platform's `default`.
 */
import type { Principal } from '../../../kernel/access/principal.ts'
import type { Reader } from '../../../kernel/database/db.ts'
import { Problem } from '../../../kernel/errors/problem.ts'
import { reply, route, type RequestKey, type Route } from '../../../kernel/http/route.ts'
import { closed, text } from '../../../kernel/http/shapes.ts'
import type { SseEvent } from '../../../kernel/http/sse.ts'
import { currentRequestId } from '../../../kernel/observability/context.ts'
import { Type } from 'typebox'
import type { Deps } from '../deps.ts'
import { call_fails, lease_seconds } from '../inferences/routes.ts'
import { BlockingCalls, type Finished } from '../operations/call-blocking.ts'
import { streamedCalls, type Writer } from '../operations/call-streamed.ts'
import { readContent } from '../operations/contents.ts'
import { draftCall, type CallDraft } from '../operations/draft-call.ts'
import { findOperation } from '../operations/find-operation.ts'

const path = '/v1/generations'
const body_limit_bytes = 512 * 1024
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

export function generationRoutes(deps: Deps): readonly Route[] {
  return [generateRoute(deps), streamRoute(deps)]
}

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

function generateRoute(deps: Deps): Route {
  const blocking = new BlockingCalls(deps)
  const { kernel } = deps
  const rendered = async (reader: Reader, done: Finished) => {
    const { id, said } =
      'ended' in done
        ? {
            id: done.ended.id,
            said:
              (await readContent(reader, kernel, done.ended.tenant_id, done.ended.output_ref)) ??
              '',
          }
        : { id: done.call.id, said: done.result.text }
    const body = { text: said, request_id: currentRequestId() ?? '' }
    return reply(200, body, { location: `/v1/inferences/${id}` })
  }
  return route({
    method: 'POST',
    path,
    name: 'createGeneration',
    summary: 'Generate text from a prompt',
    description:
      'The output has at most 800 tokens. The configuration of the platform chooses the model.',
    permission: 'inference.generations.create',
    idempotency: 'optional',
    record: 'reference',
    transaction: 'own',
    lease_seconds,
    body_limit_bytes,
    body: Generate,
    refuses: { tools: null, stop: null, max_tokens: null, model: null },
    sends: ['location'],
    replies: { 200: Generated },
    fails: [...call_fails],
    prepare: async context => await draft(deps, context, 'call'),
    operation: {
      begin: async ({ tx, operation_id, prepared }) => {
        await blocking.begin(tx, prepared, operation_id)
        return undefined
      },
      call: (id, _attempt, signal) => blocking.call(id, signal),
      finish: async (tx, _id, called) => {
        const finished = await blocking.finish(tx, called)
        return finished instanceof Problem ? finished : await rendered(tx, finished)
      },
    },
    again: async ({ tx, principal, resource_ref }) => {
      const id = resource_ref.split('/').at(-1) ?? ''
      return await rendered(tx, { ended: await findOperation(tx, principal, id) })
    },
  })
}

function streamRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: `${path}/stream`,
    name: 'streamGeneration',
    summary: 'Generate text from a prompt and stream it',
    description:
      'The output has at most 1200 tokens. The events are `token`, then exactly one of `done` and `error`. The headers are sent with the first token, so that an earlier failure gets an error status.',
    permission: 'inference.generations.create',
    idempotency: 'optional',
    transaction: 'own',
    lease_seconds,
    body_limit_bytes,
    body: Generate,
    refuses: { tools: null, stop: null, max_tokens: null, model: null },
    replies: { 200: Type.String() },
    fails: [...call_fails],
    prepare: async context => await draft(deps, context, 'stream'),
    streaming: streamedCalls(deps, generationWriter),
  })
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
    ended: ({ call, result }) => [result.ending.state === 'succeeded' ? done(call.id) : error],
    storedStart: () => [],
    stored: ({ id, state }) => [state === 'succeeded' ? done(id) : error],
    broken: () => error,
  }
}
