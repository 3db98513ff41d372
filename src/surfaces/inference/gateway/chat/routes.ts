/** POST /v1/chat/completions, as the SDKs of OpenAI and of many others send it. */
import { reply, routesOf, type Reader } from '#dodeca/kernel'
import type { Deps } from '../../deps.ts'
import { answerOf } from '../../operations/answer.ts'
import type { Finished } from '../../operations/call-blocking.ts'
import { asks, callSteps, draftAs } from '../dialect.ts'
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
        const asked = await readChat(context.body)
        return await draftAs(deps, context, context.body.stream, asked)
      },
      ...callSteps(rendered, chunkWriter),
    },
  ),
})

async function rendered(reader: Reader, done: Finished, { kernel }: Deps) {
  const completion = completionOf(await answerOf(reader, kernel, done))
  return reply(200, completion, { location: `/v1/inferences/${completion.id}` })
}
