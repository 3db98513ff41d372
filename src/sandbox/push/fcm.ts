/** `POST /v1/projects/{project}/messages:send` as FCM documents it, over HTTP/2. */
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { underFault } from '../http-fault.ts'
import type { Vended } from './vended.ts'

const Message = Type.Object({
  message: Type.Object({
    token: Type.String(),
    notification: Type.Optional(
      Type.Object({ title: Type.Optional(Type.String()), body: Type.Optional(Type.String()) }),
    ),
    data: Type.Optional(Type.Record(Type.String(), Type.String())),
  }),
})

export async function sendMessage(
  { mailbox, faults, account }: Vended,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk)
  const answer = (status: number, body: object, more: Record<string, string> = {}) => {
    stream.respond({ ':status': status, 'content-type': 'application/json', ...more })
    stream.end(JSON.stringify(body))
  }
  const fail = (code: number, status: string, errorCode?: string) => {
    const details = errorCode ? [{ errorCode }] : []
    answer(code, { error: { code, status, details } }, code === 429 ? { 'retry-after': '1' } : {})
  }
  const path = `/v1/projects/${account.project_id}/messages:send`
  if (headers[':path'] !== path) return fail(404, 'NOT_FOUND')
  if (!account.isGiven((headers.authorization ?? '').replace('Bearer ', ''))) {
    return fail(401, 'UNAUTHENTICATED')
  }
  const raw = Buffer.concat(chunks)
  const body: unknown = JSON.parse(raw.toString('utf8'))
  if (!Value.Check(Message, body)) return fail(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT')
  const { token, notification = {}, data = {} } = body.message
  const rule = faults.take({ provider: 'fcm', to: token })
  const envelope = { provider: 'fcm', from: '', to: [token], channel: 'push' as const }
  let id = ''
  await underFault(rule, stream as never, {
    accept: () => {
      const parsed = {
        subject: notification.title ?? null,
        text: notification.body ?? '',
        html: null,
        headers: data,
        attachments: [],
        ref: data['ref'] ?? null,
      }
      id = mailbox.accept(envelope, parsed, raw).id
    },
    answer: () => answer(200, { name: `projects/${account.project_id}/messages/${id}` }),
    refuse: mode => {
      if (mode === 'gone') return fail(404, 'NOT_FOUND', 'UNREGISTERED')
      if (mode === 'rate_limit') return fail(429, 'RESOURCE_EXHAUSTED', 'QUOTA_EXCEEDED')
      if (mode === 'reject_temp') return fail(503, 'UNAVAILABLE', 'UNAVAILABLE')
      fail(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT')
    },
  })
}
