/**
 * The part of a control plane that shows received messages and sends delivery reports about them.
 */
import { Type, type Static } from 'typebox'
import { fits, Refusal, type ControlRoute, type Query } from './control.ts'
import type { Filter, Mailbox } from './mailbox.ts'

const Limit = Type.Integer({ minimum: 1, maximum: 100 })

export const Outcome = Type.Object(
  {
    type: Type.Unsafe<'sent' | 'delivered' | 'failed' | 'bounced' | 'complained'>({
      type: 'string',
      enum: ['sent', 'delivered', 'failed', 'bounced', 'complained'],
    }),
    /** The address of the platform. */
    deliver_to: Type.String({ maxLength: 300 }),
    event_id: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    occurred_at: Type.Optional(Type.String({ maxLength: 40 })),
    signature: Type.Optional(
      Type.Unsafe<'good' | 'bad' | 'old'>({ type: 'string', enum: ['good', 'bad', 'old'] }),
    ),
  },
  { additionalProperties: false },
)
export type Outcome = Static<typeof Outcome>
type Whole = NonNullable<ReturnType<Mailbox['message']>>

/** Sends the report of a vendor; returns the platform's status. */
export type Report = (message: Whole, outcome: Outcome) => Promise<number>

export function messageRoutes(mailbox: Mailbox, report: Report | null): ControlRoute[] {
  const find = (id: string | undefined) => {
    const message = mailbox.message(id ?? '')
    if (!message) throw new Refusal(404, 'message_not_found', 'There is no such message.')
    return message
  }
  return [
    {
      method: 'GET',
      path: '/messages',
      run: ({ query }) => ({ status: 200, body: mailbox.messages(...paging(query)) }),
    },
    {
      method: 'DELETE',
      path: '/messages',
      run: ({ query }) => {
        mailbox.forget(filterOf(query))
        return { status: 204 }
      },
    },
    {
      method: 'GET',
      path: '/messages/{id}',
      run: ({ params }) => {
        const { report_to: _internal, ...message } = find(params['id'])
        return { status: 200, body: message }
      },
    },
    {
      method: 'POST',
      path: '/messages/{id}/outcome',
      run: async ({ params, body }) => {
        const message = find(params['id'])
        if (!report) throw new Refusal(422, 'validation_failed', 'This provider sends no reports.')
        return { status: 200, body: { status: await report(message, fits(Outcome, body)) } }
      },
    },
    {
      method: 'GET',
      path: '/requests',
      run: ({ query }) => ({ status: 200, body: mailbox.requests(...paging(query)) }),
    },
  ]
}

function paging(query: Query): [Filter, string | undefined, number] {
  const limit = query['limit'] === undefined ? 20 : fits(Limit, Number(query['limit']))
  return [filterOf(query), query['cursor'], limit]
}

function filterOf(query: Query): Filter {
  const names = ['to', 'provider', 'ref', 'channel'] as const
  return Object.fromEntries(
    names.flatMap(name => (query[name] === undefined ? [] : [[name, query[name]]])),
  )
}
