/** Routes of batches: many recipients in one request, and their results. */
import { Type } from 'typebox'
import { allowsType, lacks, looked, routesOf, sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { content_refusals, problem } from '../errors.ts'
import { ofCategories } from '../intents/view.ts'
import { CategoryName } from '../schemas.ts'
import { batches_topic, send_topic } from '../topics.ts'
import { changeBatch, type Verb } from './change-batch.ts'
import { finishBatch, readBatchBody, writeBatch } from './create-batch.ts'
import { readBatch } from './read-batch.ts'
import { BatchState, BatchSummary, BatchView, JsonBatch } from './schemas.ts'
import { lease_seconds } from './write-portion.ts'

const path = '/v1/notifications/batches'
const one = `${path}/{id}`
const absent = 'batch_not_found'
const permission = 'notifications.batches.send'

const { open, get, list, post } = routesOf<Deps>({ absent, permission })

export const batchRoutes = open({
  sendNotificationBatch: post(
    path,
    'Send a notification to many recipients',
    ({ kernel: { settings } }: Deps) => ({
      description:
        'Send application/json with up to 1,000 recipients, or application/x-ndjson: the first line is the header, and each next line is one recipient. Nothing is sent before the reply. An Idempotency-Key makes the request safe to repeat.',
      rate: 'expensive',
      idempotency: 'optional',
      lease_seconds,
      consumes: 'stream',
      media: { 'application/json': JsonBatch, 'application/x-ndjson': Type.String() },
      body_limit_bytes: settings['notifications.batch_bytes'],
      body_seconds: 300,
      replies: { 202: BatchView },
      location: one,
      fails: [
        'permission_denied',
        'unsupported_media_type',
        'content_too_large',
        'validation_failed',
        ...content_refusals,
        'too_many_recipients',
        'batch_line_invalid',
      ],
    }),
    {
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
        call: (id, _attempt, _signal, { prepared: { body, caller } }, deps) =>
          writeBatch(deps, caller, id, body),
        finish: async (tx, _id, written) => await finishBatch(tx, written),
      },
    },
  ),

  listNotificationBatches: list(path, 'List batches, newest first', {
    description:
      'Read one batch for the number of its notifications in each state and its rejected lines.',
    added: true,
    from: 'notifications.notification_batches',
    row: BatchSummary,
    columns: { status: sql`t.state` },
    where: sql`t.state <> 'expanding'`,
    within: ofCategories(permission),
    time: 'column',
    filters: { state: looked(BatchState), category: looked(CategoryName) },
    find: [],
  }),

  getNotificationBatch: get(
    one,
    'Get a batch with the number of its notifications in each state',
    { added: true, reply: BatchView },
    async ({ tx, params: { id }, principal, grants }) =>
      await readBatch(tx, { principal, grants: await grants() }, id),
  ),

  pauseNotificationBatch: changing('pause', 'Pause a batch until it is resumed'),

  resumeNotificationBatch: changing('resume', 'Resume a paused batch'),

  cancelNotificationBatch: changing(
    'cancel',
    'Cancel the messages of a batch that are not sent yet',
  ),
})

function changing(verb: Verb, summary: string) {
  return post(
    `${one}/${verb}`,
    summary,
    { added: true, idempotency: 'optional', reply: BatchView, fails: ['invalid_transition'] },
    async ({ tx, params: { id }, principal, grants }) => {
      const caller = { principal, grants: await grants() }
      await changeBatch(tx, caller, id, verb)
      tx.wake(verb === 'cancel' ? batches_topic : send_topic)
      return await readBatch(tx, caller, id)
    },
  )
}
