/** The Messages API, as the SDKs of Anthropic send it. */
import { reply, routesOf, type Reader } from '#dodeca/kernel'
import type { Deps } from '../../deps.ts'
import { answerOf } from '../../operations/answer.ts'
import type { Finished } from '../../operations/call-blocking.ts'
import { referFiles } from '../../operations/files.ts'
import { estimateInput } from '../../operations/draft-call.ts'
import { asks, callSteps, draftAs } from '../dialect.ts'
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
        const asked = await readMessage(
          { kernel: deps.kernel, tenant_id: context.principal.tenant_id },
          context.body,
        )
        return await draftAs(deps, context, context.body.stream, asked)
      },
      ...callSteps(rendered, (call, { kernel }) => messageWriter(kernel, call)),
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
      takesBody: asks.takesBody,
      body: CountTokens,
      replies: { 200: TokenCount },
      fails: ['file_not_found', 'model_capability_unsupported'],
    },
    async ({ principal: { tenant_id, id: actor_id, scope }, body }, deps) => {
      const read = await readContents({ kernel: deps.kernel, tenant_id }, body)
      const input = await referFiles(
        deps,
        { tenant_id, actor_id, scope, pointer: '/messages' },
        read.input,
      )
      const content = { ...read, input }
      return { input_tokens: await estimateInput('none@1', content, []) }
    },
  ),
})

async function rendered(reader: Reader, done: Finished, { kernel }: Deps) {
  const { tenant_id } = 'ended' in done ? done.ended : done.call
  const message = messageOf(kernel, tenant_id, await answerOf(reader, kernel, done))
  return reply(200, message, { location: `/v1/inferences/${message.id}` })
}
