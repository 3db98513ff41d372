/** The Messages API, as the SDKs of Anthropic send it. */
import { reply, routesOf, type Reader } from '#dodeca/kernel'
import type { Deps } from '../../deps.ts'
import { answerOf } from '../../operations/answer.ts'
import { blockingCalls, type Finished } from '../../operations/call-blocking.ts'
import { streamedCalls } from '../../operations/call-streamed.ts'
import { draftCall, estimateInput } from '../../operations/draft-call.ts'
import { findOperation } from '../../operations/find-operation.ts'
import { asks, calledBy } from '../dialect.ts'
import { messageErrorOf, messageOf, messageWriter } from './message.ts'
import { readContents, readMessage } from './read-request.ts'
import { CountTokens, CreateMessage, MessageView, TokenCount } from './schemas.ts'

const path = '/v1/messages'
const { open, post } = routesOf<Deps>({ permission: 'inference.operations.create', added: true })
const shared = { problemAs: messageErrorOf, key_header: 'x-api-key' } as const

export const messageRoutes = open({
  createMessage: post(
    path,
    'Call a model in the form of the Messages API',
    {
      description:
        'Set the base URL of an SDK of Anthropic to the platform, and its key to an API key, which it sends as `x-api-key`. Each parameter has its effect, or is refused with `unsupported_parameter`. The id is that of the call.',
      ...asks,
      ...shared,
      record: 'reference',
      body: CreateMessage,
      reply: MessageView,
    },
    {
      prepare: async (context, deps) => {
        const { kernel } = deps
        const { body, principal } = context
        const limit = body.stream ? 'inference.stream_max_ms' : 'inference.deadline_ms'
        return await draftCall(deps, {
          ...(await readMessage({ kernel, tenant_id: principal.tenant_id }, body)),
          ...calledBy(context, body.stream),
          deadline_ms: kernel.settings[limit],
        })
      },
      again: async ({ tx, principal, resource_ref }, deps) => {
        const id = resource_ref.split('/').at(-1) ?? ''
        return await rendered(tx, { ended: await findOperation(tx, principal, id) }, deps)
      },
      operation: blockingCalls(rendered),
      streaming: streamedCalls((call, { kernel }) => messageWriter(kernel, call)),
      streams: ({ body }) => body.stream ?? false,
    },
  ),

  countMessageTokens: post(
    `${path}/count_tokens`,
    'Count the tokens of a message before it is sent',
    {
      description: 'An estimate, as the quota reserves it. No model is called.',
      ...shared,
      idempotency: 'ignored',
      body_limit_bytes: asks.body_limit_bytes,
      body_members_max: asks.body_members_max,
      body: CountTokens,
      replies: { 200: TokenCount },
    },
    async ({ principal: { tenant_id }, body }, { kernel }) => {
      const content = await readContents({ kernel, tenant_id }, body)
      return { input_tokens: await estimateInput('none@1', content, []) }
    },
  ),
})

async function rendered(reader: Reader, done: Finished, { kernel }: Deps) {
  const { tenant_id } = 'ended' in done ? done.ended : done.call
  const message = messageOf(kernel, tenant_id, await answerOf(reader, kernel, done))
  return reply(200, message, { location: `/v1/inferences/${message.id}` })
}
