/**
 * The development inbox: messages that the sandbox's servers received on every channel, faults of
 * their delivery, and delivery reports. The platform stores none of this data. Each call is
 * forwarded to the control plane of the vendor that serves the channel.
 */
import { Type } from 'typebox'
import { pageOf, reply, route, type RequestFacts, type Route } from '#dodeca/kernel'
import type { OutsideWorld } from '../../kernel/outgoing/sandbox-control.ts'
import { askOwner, listMessages, vendors, waitForMessages, type List } from './inbox-messages.ts'
import { inboxPage } from './inbox-page.ts'
import {
  inbox_channels,
  InboxFault,
  InboxMessage,
  MessageFilter,
  MessageQuery,
  NewInboxFault,
  NewOutcome,
  PageQuery,
  PushSubscription,
  Reported,
  WholeMessage,
} from './inbox-shapes.ts'

const page_messages = 30

const common = {
  permission: 'public',
  hidden: true,
  added: true,
} as const

export function inboxRoutes(outside: OutsideWorld): Route[] {
  return [
    pageRoute(outside),
    ...messageRoutes(outside),
    ...faultRoutes(outside),
    outcomeRoute(outside),
    subscriptionRoute(outside),
  ]
}

function pageRoute(outside: OutsideWorld): Route {
  return route({
    ...common,
    transaction: 'own',
    idempotency: 'ignored',
    method: 'GET',
    path: '/dev/inbox',
    summary: 'The development inbox as a page',
    query: PageQuery,
    produces: ['text/html'],
    replies: { 200: Type.String() },
    handle: async ({ query }) => {
      const { to, q, channel, cursor } = query
      const { data, next_cursor } = await listMessages(outside, {
        limit: page_messages,
        ...(to ? { to } : {}),
        ...(q ? { q } : {}),
        ...(channel ? { channel } : {}),
        ...(cursor === undefined ? {} : { cursor }),
      })
      const { body, headers } = inboxPage({ messages: data, to, q, channel, next_cursor })
      return reply(200, body, headers)
    },
  })
}

function messageRoutes(outside: OutsideWorld): Route[] {
  return [
    route({
      ...common,
      transaction: 'own',
      idempotency: 'ignored',
      method: 'GET',
      path: '/dev/inbox/messages',
      summary: 'Received messages, newest first; with wait_seconds as soon as one matches',
      query: MessageQuery,
      replies: { 200: pageOf(InboxMessage) },
      handle: async ({ query, request }) =>
        reply(200, await waitForMessages(outside, query, request.signal)),
    }),
    route({
      ...common,
      transaction: 'own',
      idempotency: 'ignored',
      method: 'DELETE',
      path: '/dev/inbox/messages',
      summary: 'Delete received messages',
      query: MessageFilter,
      replies: { 204: null },
      handle: async ({ query }) => {
        const { channel } = query
        for (const one of inbox_channels) {
          if (channel !== undefined && channel !== one) continue
          await outside.ask({ vendor: vendors[one], method: 'DELETE', path: 'messages', query })
        }
        return reply(204, null)
      },
    }),
    route({
      ...common,
      transaction: 'own',
      idempotency: 'ignored',
      method: 'GET',
      path: '/dev/inbox/messages/{id}',
      summary: 'One received message, with its raw bytes',
      replies: { 200: WholeMessage },
      handle: async ({ params }) => {
        const path = `messages/${params.id}`
        const found = await askOwner(vendor => outside.ask({ vendor, method: 'GET', path }))
        return reply(200, found as WholeMessage)
      },
    }),
  ]
}

function faultRoutes(outside: OutsideWorld): Route[] {
  return [
    route({
      ...common,
      transaction: 'own',
      idempotency: 'ignored',
      method: 'GET',
      path: '/dev/inbox/faults',
      summary: 'Faults that are set and have not happened yet',
      replies: { 200: pageOf(InboxFault) },
      handle: async () => {
        const lists = (await Promise.all(
          inbox_channels.map(one =>
            outside.ask({ vendor: vendors[one], method: 'GET', path: 'faults' }),
          ),
        )) as List<InboxFault>[]
        const data = lists.flatMap(one => one.data)
        return reply(200, { data, next_cursor: null, has_more: false })
      },
    }),
    route({
      ...common,
      transaction: 'own',
      idempotency: 'ignored',
      method: 'POST',
      path: '/dev/inbox/faults',
      summary: 'Make a provider fail',
      body: NewInboxFault,
      replies: { 201: InboxFault },
      handle: async ({ body }) => {
        const vendor = vendors[body.channel]
        const set = await outside.ask({ vendor, method: 'POST', path: 'faults', body })
        return reply(201, set as InboxFault)
      },
    }),
    route({
      ...common,
      transaction: 'own',
      idempotency: 'ignored',
      method: 'DELETE',
      path: '/dev/inbox/faults',
      summary: 'End all faults of the providers',
      replies: { 204: null },
      handle: async () => {
        for (const one of inbox_channels) {
          await outside.ask({ vendor: vendors[one], method: 'DELETE', path: 'faults' })
        }
        return reply(204, null)
      },
    }),
  ]
}

function outcomeRoute(outside: OutsideWorld): Route {
  return route({
    ...common,
    transaction: 'own',
    idempotency: 'ignored',
    method: 'POST',
    path: '/dev/inbox/messages/{id}/outcome',
    summary: "Make the provider report what happened to a message; returns the platform's status",
    body: NewOutcome,
    replies: { 200: Reported },
    handle: async ({ params, body, request }) => {
      const asked = { ...body, deliver_to: ownPlace(request) }
      const path = `messages/${params.id}/outcome`
      const done = await askOwner(vendor =>
        outside.ask({ vendor, method: 'POST', path, body: asked }),
      )
      return reply(200, done as Reported)
    },
  })
}

/**
 * The helpers serve this machine only, so the host name in the request leads back to this process.
 */
function ownPlace({ headers }: RequestFacts): string {
  return `http://${String(headers['host'] ?? '127.0.0.1')}`
}

function subscriptionRoute(outside: OutsideWorld): Route {
  return route({
    ...common,
    transaction: 'own',
    idempotency: 'ignored',
    method: 'POST',
    path: '/dev/inbox/push-subscriptions',
    summary: 'A push subscription as a browser creates it; messages to it arrive in the inbox',
    replies: { 201: PushSubscription },
    handle: async () => {
      const made = await outside.ask({ vendor: 'push', method: 'POST', path: 'subscriptions' })
      return reply(201, made as PushSubscription)
    },
  })
}
