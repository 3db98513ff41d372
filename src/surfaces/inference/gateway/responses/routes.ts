/** The Responses API, as the SDKs send it. A response is a call of the platform. */
import { reply, routesOf, sql, type Principal, type Reader, type Tx } from '#dodeca/kernel'
import type { Deps } from '../../deps.ts'
import { problem } from '../../errors.ts'
import { cancelCall } from '../../inferences/cancel-call.ts'
import type { Finished } from '../../operations/call-blocking.ts'
import { findOperation } from '../../operations/find-operation.ts'
import { asks, callSteps, draftAs, errorOf } from '../dialect.ts'
import { readResponse } from './read-request.ts'
import { responseOf, storedResponse } from './response.ts'
import { CreateResponse, ResponseView } from './schemas.ts'
import { responseWriter } from './stream-events.ts'

const path = '/v1/responses'
const { open, get, post, del } = routesOf<Deps>({
  absent: 'inference_not_found',
  permission: 'inference.operations.create',
  added: true,
})

export const responseRoutes = open({
  createResponse: post(
    path,
    'Call a model in the form of the Responses API',
    {
      description:
        'Set the base URL of an SDK to the platform with `/v1`, and its key to an API key. Each parameter has its effect, or is refused with `unsupported_parameter`. The id is that of the call.',
      ...asks,
      record: 'reference',
      body: CreateResponse,
      reply: ResponseView,
    },
    {
      prepare: async (context, deps) => {
        const { tenant_id, id: actor_id } = context.principal
        const asked = await readResponse(deps.kernel, { tenant_id, actor_id }, context.body)
        return await draftAs(deps, context, context.body.stream, asked)
      },
      ...callSteps(rendered, (call, { kernel }) => responseWriter(kernel, call)),
    },
  ),

  getResponse: get(
    `${path}/{id}`,
    'Get a response of yours',
    { problemAs: errorOf, reply: ResponseView },
    async ({ tx, principal, params: { id } }, { kernel }) =>
      await storedResponse(tx, kernel, await findOperation(tx, principal, id)),
  ),

  deleteResponse: del(
    `${path}/{id}`,
    'Delete the input and output of a response',
    { problemAs: errorOf, fails: ['invalid_transition'] },
    async ({ tx, principal, params: { id } }) => await deleteContents(tx, principal, id),
  ),

  cancelResponse: post(
    `${path}/{id}/cancel`,
    'Cancel a response that runs',
    { problemAs: errorOf, replies: { 200: ResponseView }, fails: ['invalid_transition'] },
    async ({ tx, principal, params: { id } }, deps) => {
      const { row } = await cancelCall(tx, deps, principal, id)
      return await storedResponse(tx, deps.kernel, row)
    },
  ),
})

/** The call and its usage stay. */
async function deleteContents(tx: Tx, principal: Principal, id: string): Promise<void> {
  const { tenant_id } = principal
  const row = await findOperation(tx, principal, id)
  if (row.completed_at === null) {
    throw problem('invalid_transition', { current_state: row.state })
  }
  await tx.run(sql`
    update inference.inference_operations
    set input_ref = null, output_ref = null, version = version + 1
    where tenant_id = ${tenant_id} and id = ${id}`)
  await tx.run(sql`
    delete from inference.contents where tenant_id = ${tenant_id} and operation_id = ${id}`)
}

async function rendered(reader: Reader, done: Finished, { kernel }: Deps) {
  const view = await responseOf(reader, kernel, done)
  return reply(200, view, { location: `/v1/inferences/${view.id}` })
}
