/**
 * The three steps of a message: the intent, the call, the outcome. The call asks first when it resumes,
 * and an answer that may or may not have had its effect leaves the message pending.
 */
import { problemsOf, reply, route, sql, UpstreamFailure } from '#dodeca/kernel'
import type { Db, Route, Tx, Upstream } from '#dodeca/kernel'
import { errors } from './errors.ts'
import { Message, MessageRow, SendMessage } from './schemas.ts'

const problem = problemsOf(errors)

type Outcome = { state: 'sent'; ref: string } | { state: 'refused' } | { state: 'pending' }

export function sendRoute(db: Db, vendor: Upstream): Route {
  return route({
    method: 'POST',
    path: '/v1/relay/messages',
    summary: 'Send a message through the vendor',
    permission: 'authenticated',
    idempotency: 'required',
    transaction: 'own',
    lease_seconds: 5,
    added: true,
    body: SendMessage,
    sends: ['location'],
    fails: ['message_refused'],
    replies: { 201: Message, 202: Message },
    operation: {
      begin: async ({ tx, operation_id, principal, body }) => {
        // A note to self has arrived where it was written: no call.
        const state = body.text.startsWith('to self: ') ? 'sent' : 'pending'
        await tx.run(sql`
          insert into relay.messages (tenant_id, operation_id, text, state)
          values (${principal.tenant_id}, ${operation_id}, ${body.text}, ${state})`)
        if (state === 'pending') return undefined
        return reply(201, { operation_id, state, text: body.text, vendor_ref: null })
      },
      call: (operation_id, attempt, signal) => call(db, vendor, operation_id, attempt, signal),
      finish: async (tx, operation_id, outcome: Outcome) => {
        const message = await settle(tx, operation_id, outcome)
        if (message.state === 'refused') return problem('message_refused')
        const headers = { location: `/v1/relay/messages/${operation_id}` }
        return message.state === 'pending'
          ? reply(202, message, headers)
          : reply(201, message, headers)
      },
    },
  })
}

async function call(
  db: Db,
  vendor: Upstream,
  operation_id: string,
  attempt: 'first' | 'resumed',
  signal: AbortSignal,
): Promise<Outcome> {
  const common = { operation_id, idempotent: true, deadline_ms: 2000, signal }
  if (attempt === 'resumed') {
    const asked = await vendor.call({ ...common, method: 'GET', path: `/messages/${operation_id}` })
    if (asked.status === 200) return { state: 'sent', ref: refOf(asked.body) }
  }
  const { text } = await db.one(
    MessageRow,
    sql`
      select operation_id, text, state, vendor_ref, tenant_id, version
      from relay.messages where operation_id = ${operation_id}`,
  )
  try {
    const body = JSON.stringify({ text })
    const sent = await vendor.call({
      ...common,
      method: 'PUT',
      path: `/messages/${operation_id}`,
      body,
      retries: 0,
    })
    return sent.status === 200 ? { state: 'sent', ref: refOf(sent.body) } : { state: 'refused' }
  } catch (error) {
    if (error instanceof UpstreamFailure && error.ambiguous) return { state: 'pending' }
    throw error
  }
}

async function settle(tx: Tx, operation_id: string, outcome: Outcome): Promise<Message> {
  const row = await tx.one(
    MessageRow,
    sql`
      update relay.messages
      set state = ${outcome.state}, vendor_ref = ${outcome.state === 'sent' ? outcome.ref : null},
        version = version + 1
      where operation_id = ${operation_id}
      returning operation_id, text, state, vendor_ref, tenant_id, version`,
  )
  tx.emit({
    type: 'message.settled',
    tenant_id: row.tenant_id,
    aggregate_type: 'message',
    aggregate_id: operation_id,
    aggregate_version: row.version,
    data: { operation_id, state: outcome.state },
  })
  const { state, text, vendor_ref } = row
  return { operation_id, state, text, vendor_ref }
}

function refOf(body: Buffer): string {
  return (JSON.parse(body.toString()) as { ref: string }).ref
}
