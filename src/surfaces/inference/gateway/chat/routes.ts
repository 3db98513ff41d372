/** POST /v1/chat/completions, as the SDKs of OpenAI and of many others send it. */
import { reply, routesOf, type Reader } from '#dodeca/kernel'
import type { Deps } from '../../deps.ts'
import { answerOf } from '../../operations/answer.ts'
import { blockingCalls, type Finished } from '../../operations/call-blocking.ts'
import { streamedCalls } from '../../operations/call-streamed.ts'
import { draftCall } from '../../operations/draft-call.ts'
import { findOperation } from '../../operations/find-operation.ts'
import { asks, calledBy } from '../dialect.ts'
import { chunkWriter, completionOf } from './completion.ts'
import { readChat } from './read-request.ts'
import { ChatCompletion, CreateChat } from './schemas.ts'

const { open, post } = routesOf<Deps>({ permission: 'inference.operations.create', added: true })

export const chatRoutes = open({
  createChatCompletion: post(
    '/v1/chat/completions',
    'Call a model in the form of Chat Completions',
    {
      description:
        'Set the base URL of an SDK to the platform with `/v1`, and its key to an API key. The system text is yours alone. Each parameter has its effect, or is refused with `unsupported_parameter`. The id is that of the call.',
      ...asks,
      record: 'reference',
      body: CreateChat,
      reply: ChatCompletion,
    },
    {
      prepare: async (context, deps) => {
        const { settings } = deps.kernel
        const { body } = context
        return await draftCall(deps, {
          ...(await readChat(body)),
          ...calledBy(context, body.stream),
          deadline_ms: settings[body.stream ? 'inference.stream_max_ms' : 'inference.deadline_ms'],
        })
      },
      again: async ({ tx, principal, resource_ref }, deps) => {
        const id = resource_ref.split('/').at(-1) ?? ''
        return await rendered(tx, { ended: await findOperation(tx, principal, id) }, deps)
      },
      operation: blockingCalls(rendered),
      streaming: streamedCalls(chunkWriter),
      streams: ({ body }) => body.stream ?? false,
    },
  ),
})

async function rendered(reader: Reader, done: Finished, { kernel }: Deps) {
  const completion = completionOf(await answerOf(reader, kernel, done))
  return reply(200, completion, { location: `/v1/inferences/${completion.id}` })
}
