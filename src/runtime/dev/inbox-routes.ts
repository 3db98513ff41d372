/**
 * The development inbox: what the sandbox's servers received, and faults on the way there. The
 * platform keeps none of it; each call is forwarded to the control plane of the vendor that serves
 * the channel.
 */
import { reply, route, type Route } from '../../kernel/http/route.ts'
import { page } from '../../kernel/http/shapes.ts'
import { inboxPage } from './inbox-page.ts'
import {
  InboxFault,
  InboxMessage,
  MessageFilter,
  MessageQuery,
  NewInboxFault,
  PageQuery,
  WholeMessage,
} from './inbox-shapes.ts'
import type { OutsideWorld } from '../../kernel/outgoing/sandbox-control.ts'
import { Type } from 'typebox'

type List<T> = { data: T[]; next_cursor: string | null; has_more: boolean }

/** The vendor that keeps the messages of the channel `email`. */
const vendor = 'mail'
const page_messages = 30

const common = { permission: 'public', hidden: true, added: true } as const

export function inboxRoutes(outside: OutsideWorld): Route[] {
  return [pageRoute(outside), ...messageRoutes(outside), ...faultRoutes(outside)]
}

function pageRoute(outside: OutsideWorld): Route {
  return route({
    ...common,
    method: 'GET',
    path: '/dev/inbox',
    summary: 'The development inbox as a page',
    transaction: 'own',
    idempotency: 'ignored',
    query: PageQuery,
    produces: ['text/html'],
    replies: { 200: Type.String() },
    handle: async ({ query }) => {
      const found = await outside.ask({
        vendor,
        method: 'GET',
        path: 'messages',
        query: { to: query.to || undefined, cursor: query.cursor, limit: page_messages },
      })
      const { data, next_cursor } = found as List<InboxMessage>
      const { body, headers } = inboxPage({ messages: data, to: query.to, next_cursor })
      return reply(200, body, headers)
    },
  })
}

function messageRoutes(outside: OutsideWorld): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: '/dev/inbox/messages',
      summary: 'Received messages, newest first',
      transaction: 'own',
      idempotency: 'ignored',
      query: MessageQuery,
      replies: { 200: page(InboxMessage) },
      handle: async ({ query }) => {
        const found = await outside.ask({ vendor, method: 'GET', path: 'messages', query })
        return reply(200, found as List<InboxMessage>)
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/dev/inbox/messages',
      summary: 'Deletes received messages',
      transaction: 'own',
      idempotency: 'ignored',
      query: MessageFilter,
      replies: { 204: null },
      handle: async ({ query }) => {
        await outside.ask({ vendor, method: 'DELETE', path: 'messages', query })
        return reply(204, null)
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/dev/inbox/messages/{id}',
      summary: 'One received message, with what came over the wire',
      transaction: 'own',
      idempotency: 'ignored',
      replies: { 200: WholeMessage },
      handle: async ({ params }) => {
        const path = `messages/${params.id}`
        return reply(200, (await outside.ask({ vendor, method: 'GET', path })) as WholeMessage)
      },
    }),
  ]
}

function faultRoutes(outside: OutsideWorld): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: '/dev/inbox/faults',
      summary: 'Faults that the mail providers will still show',
      transaction: 'own',
      idempotency: 'ignored',
      replies: { 200: page(InboxFault) },
      handle: async () => {
        const found = await outside.ask({ vendor, method: 'GET', path: 'faults' })
        return reply(200, found as List<InboxFault>)
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/dev/inbox/faults',
      summary: 'Makes a mail provider fail',
      transaction: 'own',
      idempotency: 'ignored',
      body: NewInboxFault,
      replies: { 201: InboxFault },
      handle: async ({ body }) => {
        const set = await outside.ask({ vendor, method: 'POST', path: 'faults', body })
        return reply(201, set as InboxFault)
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/dev/inbox/faults',
      summary: 'Ends all faults of the mail providers',
      transaction: 'own',
      idempotency: 'ignored',
      replies: { 204: null },
      handle: async () => {
        await outside.ask({ vendor, method: 'DELETE', path: 'faults' })
        return reply(204, null)
      },
    }),
  ]
}
