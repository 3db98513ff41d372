/** Routes of batches: many recipients in one request, and their results. */
import { Type } from 'typebox'
import { lacks } from '../../../kernel/access/permission-denied.ts'
import { allowsType } from '../../../kernel/access/permissions.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { batches_topic, send_topic } from '../topics.ts'
import { changeBatch, type Verb } from './change-batch.ts'
import { finishBatch, readBatchBody, writeBatch } from './create-batch.ts'
import { readBatch } from './read-batch.ts'
import { BatchView, JsonBatch } from './schemas.ts'
import { lease_seconds } from './write-portion.ts'

const path = '/v1/notifications/batches'
const one = `${path}/{id}`
const absent = 'batch_not_found'
const permission = 'notifications.batches.send'

export function batchRoutes(deps: Deps): readonly Route[] {
  return [
    createRoute(deps),
    readRoute(),
    changeRoute('pause', 'Pause a batch until it is resumed'),
    changeRoute('resume', 'Resume a paused batch'),
    changeRoute('cancel', 'Cancel the messages of a batch that are not sent yet'),
  ]
}

function createRoute(deps: Deps): Route {
  const { settings } = deps.kernel
  return route({
    method: 'POST',
    path,
    name: 'sendNotificationBatch',
    summary: 'Send a notification to many recipients',
    sends: ['location'],
    description:
      'Send application/json with up to 1,000 recipients, or application/x-ndjson: the first line is the header, and each next line is one recipient. Nothing is sent before the reply. An Idempotency-Key makes the request safe to repeat.',
    permission,
    rate: 'expensive',
    transaction: 'own',
    idempotency: 'optional',
    lease_seconds,
    consumes: 'stream',
    media: { 'application/json': JsonBatch, 'application/x-ndjson': Type.String() },
    body_limit_bytes: settings['notifications.batch_bytes'],
    body_seconds: 300,
    replies: { 202: BatchView },
    fails: [
      'permission_denied',
      'unsupported_media_type',
      'content_too_large',
      'validation_failed',
      'template_not_found',
      'template_not_published',
      'unknown_category',
      'template_data_invalid',
      'channel_without_template',
      'schedule_out_of_range',
      'expiry_before_schedule',
      'too_many_recipients',
      'batch_line_invalid',
    ],
    prepare: async ({ principal, grants, request }) => {
      const media = String(request.headers['content-type'] ?? '')
        .split(';')[0]
        ?.trim()
      if (media !== 'application/json' && media !== 'application/x-ndjson') {
        throw problem('unsupported_media_type', {
          detail: 'Send application/json or application/x-ndjson.',
        })
      }
      const held = await grants()
      const body = await readBatchBody(media === 'application/x-ndjson', request.stream())
      const { category } = body.header
      if (!allowsType(held, permission, category)) throw lacks(`${permission}:${category}`)
      return { body, caller: { principal, grants: held } }
    },
    operation: {
      begin: async () => undefined,
      call: (id, _attempt, _signal, { prepared: { body, caller } }) =>
        writeBatch(deps, caller, id, body),
      finish: async (tx, id, written) =>
        reply(202, await finishBatch(tx, written), { location: `${path}/${id}` }),
    },
  })
}

function readRoute(): Route {
  return route({
    method: 'GET',
    path: one,
    name: 'getNotificationBatch',
    summary: 'Get a batch with the number of its notifications in each state',
    permission,
    added: true,
    absent,
    replies: { 200: BatchView },
    fails: [absent],
    handle: async ({ tx, params: { id }, principal, grants }) =>
      reply(200, await readBatch(tx, { principal, grants: await grants() }, id)),
  })
}

function changeRoute(verb: Verb, summary: string): Route {
  return route({
    method: 'POST',
    path: `${one}/${verb}`,
    name: `${verb}NotificationBatch`,
    summary,
    permission,
    added: true,
    idempotency: 'optional',
    absent,
    replies: { 200: BatchView },
    fails: [absent, 'invalid_transition'],
    handle: async ({ tx, params: { id }, principal, grants }) => {
      const caller = { principal, grants: await grants() }
      await changeBatch(tx, caller, id, verb)
      tx.wake(verb === 'cancel' ? batches_topic : send_topic)
      return reply(200, await readBatch(tx, caller, id))
    },
  })
}
