/** What all adapters promise, before the real wire of the sandbox. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import {
  kinds,
  openAdapterWorld,
  openLedger,
  optionsOf,
  outcomeOf,
  requestOf,
  type AdapterWorld,
} from './adapter-world.ts'
import type { ProviderRequest } from '../provider.ts'

let world: AdapterWorld
beforeAll(async () => {
  world = await openAdapterWorld()
})
afterAll(() => world.close())

const limited = {
  openai: 'rate_limit_exceeded',
  openai_compatible: 'rate_limit_exceeded',
  anthropic: 'rate_limit_error',
  gemini: 'resource_exhausted',
}

function bodyFor(kind: (typeof kinds)[number], { input, operation_id }: ProviderRequest): object {
  const instructions = 'Answer in French.'
  const usual = { model: 'sandbox-large', temperature: 0.5, top_p: 0.9 }
  switch (kind) {
    case 'openai':
      return {
        ...usual,
        input,
        instructions,
        max_output_tokens: 1000,
        safety_identifier: 'u_test',
        prompt_cache_key: 'plain@1',
        metadata: { operation_id },
        store: false,
        stream: true,
      }
    case 'openai_compatible':
      return {
        ...usual,
        messages: [
          { role: 'system', content: instructions },
          { role: 'user', content: input },
        ],
        max_tokens: 1000,
        user: 'u_test',
        stream: true,
        stream_options: { include_usage: true },
      }
    case 'anthropic':
      return {
        ...usual,
        system: [{ type: 'text', text: instructions }],
        messages: [{ role: 'user', content: [{ type: 'text', text: input }] }],
        max_tokens: 1000,
        metadata: { user_id: 'u_test' },
        stream: true,
      }
    case 'gemini':
      return {
        systemInstruction: { parts: [{ text: instructions }] },
        contents: [{ role: 'user', parts: [{ text: input }] }],
        generationConfig: { maxOutputTokens: 1000, temperature: 0.5, topP: 0.9 },
      }
  }
}

describe.each(kinds)('%s', kind => {
  test('a call is created, said, counted and ended, with one row in the ledger', async () => {
    const request = requestOf('Tell me about the rabbit.', { instructions: 'Be brief.' })
    const { events, text, rows } = await outcomeOf(world.provider(kind), request)
    expect(events[0]).toMatchObject({
      type: 'created',
      response_id: expect.any(String),
      model_snapshot: 'sandbox-large-2026-01-01',
    })
    // How many tokens arrive together is the network's choice.
    expect(text.split(' ').length).toBeGreaterThan(10)
    expect(text.length).toBeGreaterThan(100)
    expect(events.at(-2)).toMatchObject({ type: 'usage', output: expect.any(Number) })
    expect(events.at(-1)).toEqual({ type: 'ended', reason: 'stop' })
    expect(rows).toEqual([
      {
        attempt: 1,
        state: 'succeeded',
        error_code: undefined,
        provider_request_id: expect.stringMatching(/^req_/),
      },
    ])
  })

  test('an output that is cut by its limit is a success of its own kind', async () => {
    const request = requestOf('Tell me more.', { max_output_tokens: 5 })
    const { events } = await outcomeOf(world.provider(kind), request)
    expect(events.at(-2)).toMatchObject({ type: 'usage', output: 5 })
    expect(events.at(-1)).toEqual({ type: 'ended', reason: 'length' })
  })

  test('only what the port names is on the wire, with one key for all attempts', async () => {
    const request = requestOf('Hello. [[sandbox fault=rate_limit times=2 retry_after_ms=1]]', {
      instructions: 'Answer in French.',
      temperature: 0.5,
      top_p: 0.9,
      prompt_cache_key: 'plain@1',
    })
    const { rows, events } = await outcomeOf(world.provider(kind), request)
    expect(events.at(-1)).toEqual({ type: 'ended', reason: 'stop' })
    expect(rows.map(one => [one.attempt, one.state, one.error_code])).toEqual([
      [1, 'failed', limited[kind]],
      [2, 'failed', limited[kind]],
      [3, 'succeeded', undefined],
    ])
    const seen = await world.requests(request.operation_id)
    expect(seen.map(one => one.headers['idempotency-key'])).toEqual(
      Array.from({ length: 3 }, () => request.operation_id),
    )
    expect(seen[0].body).toEqual(bodyFor(kind, request))
  })

  test('a JSON schema is enforced where it is closed, and a wish where it is not', async () => {
    const closed = {
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
      additionalProperties: false,
    }
    for (const [schema, strict] of [
      [closed, true],
      [{ ...closed, required: [] }, false],
    ] as const) {
      const response_format = { type: 'json_schema', name: 'thing', schema } as const
      const request = requestOf('A thing.', { response_format })
      const { text } = await outcomeOf(world.provider(kind), request)
      expect(JSON.parse(text)).toEqual({ name: expect.any(String) })
      const [{ body }] = (await world.requests(request.operation_id)) as [{ body: object }]
      // Other vendors enforce each schema that they take.
      const sent = kind.startsWith('openai') ? `"strict":${strict}` : JSON.stringify(schema)
      expect(JSON.stringify(body)).toContain(sent)
    }
  })

  test('the numbers of attempts go on where an earlier run ended', async () => {
    const request = requestOf('Once more.', { attempts_before: 4 })
    const { rows } = await outcomeOf(world.provider(kind), request)
    expect(rows.map(one => one.attempt)).toEqual([5])
  })

  test('an attempt that the ledger refuses is not sent', async () => {
    const request = requestOf('Hello. [[sandbox fault=rate_limit retry_after_ms=1]]')
    const ledger = openLedger(attempt => attempt === 1)
    const { failure, rows } = await outcomeOf(world.provider(kind), request, { ledger })
    expect(failure).toMatchObject({ code: 'service_unavailable', ambiguous: false })
    expect(rows).toHaveLength(1)
    expect(await world.requests(request.operation_id)).toHaveLength(1)
  })

  test('an error of the ledger is thrown as it is, and nothing is sent', async () => {
    const lost = new Error('the database is gone')
    const ledger = { ...openLedger(), begin: () => Promise.reject(lost) }
    const request = requestOf('Hello.')
    await expect(outcomeOf(world.provider(kind), request, { ledger })).rejects.toBe(lost)
    expect(await world.requests(request.operation_id)).toEqual([])
  })

  test('a caller that aborts closes the connection to the provider', async () => {
    const request = requestOf('[[sandbox tokens=1000 fault=slow ttft_ms=0 delta_ms=20]]')
    const stop = new AbortController()
    const ledger = openLedger()
    const seen: string[] = []
    const reading = (async () => {
      const options = optionsOf({ signal: stop.signal, ledger })
      for await (const event of world.provider(kind).complete(request, options)) {
        seen.push(event.type)
        if (seen.filter(type => type === 'text').length === 5) stop.abort()
      }
    })()
    await expect(reading).rejects.toMatchObject({ code: 'aborted', ambiguous: false })
    expect(ledger.rows).toMatchObject([{ state: 'aborted' }])
    await expect
      .poll(async () => (await world.requests(request.operation_id))[0].aborted_at_ms)
      .not.toBeNull()
    const [{ deltas_sent }] = (await world.requests(request.operation_id)) as [Sent]
    expect(deltas_sent).toBeLessThan(100)
  })

  test('a reader that leaves closes the connection too', async () => {
    const request = requestOf('[[sandbox tokens=1000 fault=slow ttft_ms=0 delta_ms=20]]')
    const ledger = openLedger()
    for await (const event of world.provider(kind).complete(request, optionsOf({ ledger }))) {
      if (event.type === 'text') break
    }
    expect(ledger.rows).toMatchObject([{ state: 'aborted' }])
    await expect
      .poll(async () => (await world.requests(request.operation_id))[0].aborted_at_ms)
      .not.toBeNull()
  })

  test('a call that was aborted before it began is not sent', async () => {
    const request = requestOf('Hello.')
    const { failure, rows } = await outcomeOf(world.provider(kind), request, {
      signal: AbortSignal.abort(),
    })
    expect([failure?.code, rows]).toEqual(['aborted', []])
    expect(await world.requests(request.operation_id)).toEqual([])
  })

  // Only the protocol of OpenAI has embeddings.
  if (!kind.startsWith('openai')) return
  test('texts have vectors, in their order', async () => {
    const ledger = openLedger()
    const texts = ['The cat sits on the mat.', 'Interest rates rise.']
    const request = {
      operation_id: newId(),
      provider_key: newId(),
      model: 'sandbox-embedding',
      texts,
      safety_identifier: 'u_test',
    }
    const provider = world.provider(kind)
    const all = await provider.embed(request, optionsOf({ ledger }))
    expect([all.dimensions, all.vectors.length, all.model_snapshot]).toEqual([
      512,
      2,
      'sandbox-embedding-2026-01-01',
    ])
    expect(all.input_tokens).toBeGreaterThan(5)
    expect(ledger.rows).toMatchObject([{ attempt: 1, state: 'succeeded' }])
    const [, second] = all.vectors
    const alone = await provider.embed(
      { ...request, provider_key: newId(), texts: texts.slice(1) },
      optionsOf(),
    )
    expect(alone.vectors).toEqual([second])
    const small = { ...request, provider_key: newId(), dimensions: 64 }
    expect((await provider.embed(small, optionsOf())).vectors[0]).toHaveLength(64)
  })
})

type Sent = { readonly deltas_sent: number }
