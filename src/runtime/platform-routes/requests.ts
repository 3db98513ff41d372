/** One request, found by its id: what it asked for and how it ended. */
import { Type } from 'typebox'
import { allowsSome, Id, nullable, problemsOf, reply, route, sql, Time } from '#dodeca/kernel'
import type { Route } from '#dodeca/kernel'

const absent = 'request_not_found'
const of_others = 'kernel.audit_events.read'

export const requestErrors = {
  [absent]: {
    status: 404,
    title: 'There is no such request',
    cause:
      'No write with an `Idempotency-Key` had this request id, its key was forgotten after the ' +
      'retention time, or it is the request of another person.',
    cure: 'Look for the request id in the log of the process, or in `GET /v1/audit-events`.',
  },
} as const

const problem = problemsOf(requestErrors)

const KeyedRequest = Type.Object(
  {
    request_id: Id,
    principal_id: Id,
    route: Type.String(),
    state: Type.Enum(['in_progress', 'completed']),
    status: nullable(Type.Integer()),
    /** The address of what the request created. */
    location: nullable(Type.String()),
    /** The transaction that stored the outcome. Its events have the same number. */
    transaction_id: nullable(Type.Integer()),
    created_at: Time,
    completed_at: nullable(Time),
  },
  { title: 'KeyedRequest' },
)

export function requestRoutes(): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/requests/{request_id}',
      name: 'getRequest',
      summary: 'Show the route, the outcome and the transaction of a write with an Idempotency-Key',
      description:
        'Found while the key is remembered. A repeated request replays the outcome of the first, ' +
        'and only the first is found. Reads and writes without a key are in the log of the process.',
      permission: 'authenticated',
      for_others: of_others,
      added: true,
      absent,
      replies: { 200: KeyedRequest },
      fails: [absent],
      handle: async ({ tx, principal, params, grants }) => {
        const all = allowsSome(await grants(), of_others)
        const found = await tx.maybe(
          KeyedRequest,
          sql`
            select request_id, principal_id, operation as route, state, status,
              resource_ref as location, transaction_id, created_at, completed_at
            from kernel.idempotency_records
            where tenant_id = ${principal.tenant_id} and request_id = ${params.request_id}
              and (${all} or principal_id = ${principal.id}) and expires_at > now()`,
        )
        if (!found) throw problem(absent)
        return reply(200, found)
      },
    }),
  ]
}
