/**
 * Two streams of words: one without a key, and one that is bound to a key and sent again from
 * storage.
 */
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { Type } from 'typebox'
import { closed, count, problem, reply, route, sql, text } from '#dodeca/kernel'
import type { Db, Reader, Route, SseEvent, Tx } from '#dodeca/kernel'

const Words = closed({
  text: text(10_000_000),
  pause_ms: Type.Optional(count(0, 60_000)),
  /** Where the stream goes wrong: before its first word, after it, or by falling silent. */
  fault: Type.Optional(text(20)),
})

export function streamRoutes(db: Db): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/relay/words:stream',
      summary: 'Stream a text word by word',
      permission: 'authenticated',
      transaction: 'own',
      added: true,
      body: Words,
      body_limit_bytes: 12_000_000,
      replies: { 200: Type.String() },
      stream: async ({ body, request }) => {
        if (body.fault === 'before') throw problem('service_unavailable')
        return words(body.text, body.pause_ms ?? 0, body.fault, request.signal)
      },
    }),
    route({
      method: 'POST',
      path: '/v1/relay/kept-words:stream',
      summary: 'Stream a text word by word, once for each key',
      permission: 'authenticated',
      idempotency: 'required',
      transaction: 'own',
      lease_seconds: 30,
      added: true,
      body: Words,
      replies: { 200: Type.String() },
      streaming: {
        begin: async ({ tx, operation_id, principal, body }) => {
          await tx.run(sql`
            insert into relay.messages (tenant_id, operation_id, text, state)
            values (${principal.tenant_id}, ${operation_id}, ${body.text}, 'pending')`)
        },
        open: async (operation_id, _attempt, signal) => {
          const stored = await textOf(db, operation_id)
          return settling(db, operation_id, words(stored, 50, undefined, signal))
        },
        again: async function* (operation_id) {
          yield { event: 'word', data: { text: await textOf(db, operation_id) } }
          yield { event: 'completed', data: {}, terminal: true }
        },
        location: operation_id => `/v1/relay/messages/${operation_id}`,
      },
    }),
    sayRoute(db),
  ]
}

/** One route that is answered by JSON or by events, as its body says. */
function sayRoute(db: Db): Route {
  const rendered = async (reader: Reader, operation_id: string) => {
    const headers = { location: `/v1/relay/messages/${operation_id}` }
    return reply(200, { operation_id, text: await textOf(reader, operation_id) }, headers)
  }
  const begin = async ({ tx, operation_id, principal, body }: Said): Promise<undefined> => {
    await tx.run(sql`
      insert into relay.messages (tenant_id, operation_id, text, state)
      values (${principal.tenant_id}, ${operation_id}, ${body.text}, 'pending')`)
  }
  return route({
    method: 'POST',
    path: '/v1/relay/sayings',
    summary: 'Say a text at once or word by word',
    permission: 'authenticated',
    idempotency: 'optional',
    record: 'reference',
    transaction: 'own',
    lease_seconds: 1,
    added: true,
    body: Saying,
    sends: ['location'],
    replies: { 200: closed({ operation_id: text(36), text: text(10_000) }) },
    streams: ({ body }) => body.stream ?? false,
    operation: {
      begin,
      call: async (operation_id, _attempt, signal) => {
        const stored = await textOf(db, operation_id)
        if (!stored.startsWith('for ever')) return
        if (!signal.aborted) await once(signal, 'abort')
        await db.run(sql`
          -- any tenant: the operation's own id
          update relay.messages set state = 'refused' where operation_id = ${operation_id}`)
      },
      finish: async (tx, operation_id) => await rendered(tx, operation_id),
    },
    again: async ({ tx, resource_ref }) => await rendered(tx, resource_ref.split('/').at(-1) ?? ''),
    streaming: {
      begin,
      open: async (operation_id, _attempt, signal) => {
        const stored = await textOf(db, operation_id)
        const events = saying(stored, signal)
        const ending = (code: string): SseEvent => ({
          event: 'broken',
          data: { code, operation_id },
          id: 'last',
        })
        return Object.assign(events, { ending })
      },
      again: async function* (operation_id) {
        yield { event: 'word', data: { text: await textOf(db, operation_id) } }
        yield { event: 'completed', data: {}, terminal: true }
      },
      location: operation_id => `/v1/relay/messages/${operation_id}`,
    },
  })
}

const Saying = closed({ text: text(10_000), stream: Type.Optional(Type.Boolean()) })
type Said = {
  readonly tx: Tx
  readonly operation_id: string
  readonly principal: { readonly tenant_id: string }
  readonly body: { readonly text: string }
}

/** Works on for 2.5 s without a word where the text asks for it, and for ever where it asks that. */
async function* saying(source: string, signal: AbortSignal): AsyncGenerator<SseEvent> {
  const silent: SseEvent = { event: 'working', data: {}, silent: true }
  yield { event: 'word', data: { text: source }, id: '0' }
  for (let turn = 0; source.startsWith('slowly') && turn < 25; turn++) {
    yield silent
    await wait(100, undefined, { signal })
  }
  if (source.startsWith('for ever')) await once(signal, 'abort')
  yield { event: 'completed', data: {}, id: '1', terminal: true }
}

async function* words(
  source: string,
  pause_ms: number,
  fault: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<SseEvent> {
  for (const word of source.split(' ')) {
    yield { event: 'word', data: { text: word } }
    if (fault === 'after') throw new Error('the stream broke')
    if (fault === 'silent')
      await new Promise((_, reject) => signal.addEventListener('abort', reject))
    if (pause_ms) await wait(pause_ms, undefined, { signal })
  }
  yield { event: 'completed', data: {}, terminal: true }
}

async function* settling(
  db: Db,
  operation_id: string,
  events: AsyncIterable<SseEvent>,
): AsyncGenerator<SseEvent> {
  for await (const event of events) {
    if (event.terminal) {
      await db.run(
        sql`
          -- any tenant: the operation's own id
          update relay.messages set state = 'sent' where operation_id = ${operation_id}`,
      )
    }
    yield event
  }
}

async function textOf(db: Reader, operation_id: string): Promise<string> {
  const row = await db.one(
    Type.Object({ text: Type.String() }),
    sql`
      -- any tenant: the operation's own id
      select text from relay.messages where operation_id = ${operation_id}`,
  )
  return row.text
}
