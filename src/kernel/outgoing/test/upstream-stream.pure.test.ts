/** Streamed answers: piece by piece, ended from either side, and never ahead of their reader. */
import { Buffer } from 'node:buffer'
import { describe, expect, test } from 'vitest'
import type { UpstreamCall } from '../upstream.ts'
import { failureOf, inTurn, once, receiver, status, upstreamAt } from './provider.ts'
import type { Answering } from './receiver.ts'

async function whole(body: AsyncIterable<Buffer>): Promise<string> {
  let text = ''
  for await (const piece of body) text += piece.toString()
  return text
}

describe('streams', () => {
  const generation: UpstreamCall = { ...once, path: '/generations' }

  test('are handed over piece by piece', async () => {
    const next = Promise.withResolvers<() => void>()
    const server = await receiver(response => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
      next.resolve(() => response.end('data: 2\n\n'))
    })
    const { status: code, headers, body } = await upstreamAt(server).stream(generation)
    expect([code, headers['content-type']]).toEqual([200, 'text/event-stream'])
    const pieces: string[] = []
    for await (const piece of body) {
      // The second is only sent when the first has been seen.
      pieces.push(piece.toString())
      ;(await next.promise)()
    }
    expect(pieces).toEqual(['data: 1\n\n', 'data: 2\n\n'])
  })

  test('are tried again before their first byte, never after it', async () => {
    const half: Answering = response => {
      response.write('data: 1\n\n', () => response.socket?.destroy())
    }
    const server = await receiver(inTurn(status(503), half))
    const { body } = await upstreamAt(server).stream({ ...generation, idempotent: true })
    const reading = whole(body)
    expect(await failureOf(reading)).toMatchObject({ reason: 'invalid_response', ambiguous: true })
    expect(server.requests).toHaveLength(2)
  })

  test('end the connection when they are left or aborted', async () => {
    for (const leave of ['break', 'abort'] as const) {
      const closed = Promise.withResolvers<true>()
      const server = await receiver(response => {
        response.on('close', () => closed.resolve(true))
        response.write('data: 1\n\n')
      })
      const stream = await upstreamAt(server).stream(generation)
      if (leave === 'abort') stream.abort()
      else for await (const piece of stream.body) if (piece.length > 0) break
      expect(await closed.promise).toBe(true)
    }
  })

  test('end with the caller, with silence and with the deadline', async () => {
    const server = await receiver(response => response.write('data: 1\n\n'))
    const upstream = upstreamAt(server)
    const stop = new AbortController()
    const { body } = await upstream.stream({ ...generation, signal: stop.signal })
    stop.abort()
    expect((await failureOf(whole(body))).reason).toBe('aborted')
    const quiet = await upstream.stream({ ...generation, idle_timeout_ms: 50 })
    expect((await failureOf(whole(quiet.body))).reason).toBe('timeout')
    const late = await upstream.stream({ ...generation, deadline_ms: 100 })
    expect((await failureOf(whole(late.body))).reason).toBe('timeout')
  })

  test('count in the circuit what their reader decides at their end', async () => {
    const server = await receiver(response => response.end('data: 1\n\n'))
    const upstream = upstreamAt(server, { circuit: { failures_in_row: 2 } })
    const settleWith = async (weight: number | null) => {
      const stream = await upstream.stream({ ...generation, settles_later: true })
      await whole(stream.body)
      stream.settle(weight)
    }
    for (const weight of [1, 0, 1, null]) await settleWith(weight)
    expect(upstream.circuit()).toBe('closed')
    await settleWith(1)
    expect(upstream.circuit()).toBe('open')
  })

  test('do not outrun their reader', async () => {
    let written = 0
    const server = await receiver(response => {
      const chunk = Buffer.alloc(64 * 1024)
      const more = () => {
        while (written < 256 * 1024 * 1024) {
          written += chunk.length
          if (!response.write(chunk)) return void response.once('drain', more)
        }
        response.end()
      }
      more()
    })
    const { body, abort } = await upstreamAt(server).stream(generation)
    const reader = body[Symbol.asyncIterator]()
    await reader.next()
    // The server stops by itself, far from the end, because the reader has stopped.
    let seen = -1
    await expect
      .poll(
        () => {
          const still = written === seen
          seen = written
          return still
        },
        { interval: 100 },
      )
      .toBe(true)
    expect(written).toBeLessThan(64 * 1024 * 1024)
    abort()
  })
})
