/** Every way in which a provider fails, what the caller gets for it, and what the ledger says. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import type { Limits } from '../call.ts'
import {
  kinds,
  openAdapterWorld,
  openLedger,
  optionsOf,
  outcomeOf,
  requestOf,
  type AdapterWorld,
} from './adapter-world.ts'

let world: AdapterWorld
beforeAll(async () => {
  world = await openAdapterWorld()
})
afterAll(() => world.close())

type Expected = {
  readonly code: string
  readonly retryable?: boolean
  readonly ambiguous?: boolean
  readonly blocked?: string
  /** The state of each attempt. */
  readonly attempts: readonly string[]
}

const three = (state: string) => [state, state, state]
const rows: Readonly<Record<string, Expected & { limits?: Partial<Limits> }>> = {
  'rate_limit retry_after_ms=1': { code: 'service_unavailable', attempts: three('failed') },
  'status status=500': { code: 'service_unavailable', attempts: three('failed') },
  'status status=503': { code: 'service_unavailable', attempts: three('failed') },
  'status status=504': {
    code: 'service_unavailable',
    ambiguous: true,
    attempts: three('ambiguous'),
  },
  'status status=401': { code: 'service_unavailable', retryable: false, attempts: ['failed'] },
  'status status=403': { code: 'service_unavailable', retryable: false, attempts: ['failed'] },
  'status status=404': { code: 'service_unavailable', retryable: false, attempts: ['failed'] },
  'status status=400': {
    code: 'upstream_invalid_response',
    retryable: false,
    attempts: ['failed'],
  },
  'status status=400 code=invalid_json_schema': {
    code: 'model_capability_unsupported',
    retryable: false,
    attempts: ['failed'],
  },
  'status status=400 code=content_policy_violation': {
    code: 'content_blocked',
    retryable: false,
    blocked: 'provider_content_filter',
    attempts: ['failed'],
  },
  context_length: { code: 'context_length_exceeded', retryable: false, attempts: ['failed'] },
  html_502: {
    code: 'upstream_invalid_response',
    ambiguous: true,
    attempts: three('ambiguous'),
  },
  connect_reset: { code: 'upstream_timeout', ambiguous: true, attempts: three('ambiguous') },
  lost_response: { code: 'upstream_timeout', ambiguous: true, attempts: three('ambiguous') },
  headers_timeout: {
    code: 'upstream_timeout',
    ambiguous: true,
    attempts: three('ambiguous'),
    limits: { attempt_timeout_ms: 150 },
  },
  // Each attempt has its own time to the first event.
  'headers_timeout times=3': {
    code: 'upstream_timeout',
    ambiguous: true,
    attempts: three('ambiguous'),
    limits: { attempt_timeout_ms: 150, first_event_ms: 150 },
  },
  'slow ttft_ms=60000': {
    code: 'upstream_timeout',
    ambiguous: true,
    attempts: ['ambiguous'],
    limits: { first_event_ms: 150 },
  },
  'body_stall after=5': {
    code: 'upstream_timeout',
    attempts: ['failed'],
    limits: { idle_ms: 150 },
  },
  'slow ttft_ms=0 delta_ms=50': {
    code: 'upstream_timeout',
    attempts: ['failed'],
    limits: { stream_max_ms: 1500 },
  },
  'slow delta_ms=50 ttft_ms=0': {
    code: 'upstream_timeout',
    attempts: ['failed'],
    limits: { attempt_timeout_ms: 1000 },
  },
  'stream_cut after=5': { code: 'upstream_invalid_response', attempts: ['failed'] },
  'stream_reset after=5': { code: 'upstream_invalid_response', attempts: ['failed'] },
  stream_no_terminal: { code: 'upstream_invalid_response', attempts: ['failed'] },
  'malformed_event after=5': { code: 'upstream_invalid_response', attempts: ['failed'] },
  'error_event after=5': { code: 'service_unavailable', attempts: ['failed'] },
  failed_event: { code: 'service_unavailable', attempts: ['failed'] },
  'failed_event code=rate_limit_exceeded': { code: 'service_unavailable', attempts: ['failed'] },
  'failed_event code=context_length_exceeded': {
    code: 'context_length_exceeded',
    retryable: false,
    attempts: ['failed'],
  },
  refusal: {
    code: 'content_blocked',
    retryable: false,
    blocked: 'provider_refusal',
    attempts: ['succeeded'],
  },
  content_filter: {
    code: 'content_blocked',
    retryable: false,
    blocked: 'provider_content_filter',
    attempts: ['succeeded'],
  },
}

type Kind = (typeof kinds)[number]
const of_openai = (kind: Kind) => kind.startsWith('openai')

/** The other vendors have no such codes, and one word for two kinds of refusals. */
function rowsOf(kind: Kind) {
  const all = Object.entries(rows)
  if (of_openai(kind)) return all
  const blocked = kind === 'gemini' ? 'provider_content_filter' : 'provider_refusal'
  return all
    .filter(([fault]) => !/code=(?:invalid|content|context)/.test(fault))
    .map(([fault, row]) => [fault, row.blocked ? { ...row, blocked } : row] as const)
}

describe.concurrent.each(kinds)('%s', kind => {
  test.each(rowsOf(kind))('%s', async (fault, { limits, attempts, ...expected }) => {
    const request = requestOf(`Tell me. [[sandbox fault=${fault}]]`)
    const outcome = await outcomeOf(world.provider(kind, limits), request)
    const { code, retryable, ambiguous, blocked } = outcome.failure ?? {}
    expect({ code, retryable, ambiguous, blocked }).toEqual({
      retryable: true,
      ambiguous: false,
      blocked: null,
      ...expected,
    })
    expect(outcome.rows.map(one => one.state)).toEqual(attempts)
    expect(outcome.events.some(one => one.type === 'ended')).toBe(false)
    const seen = await world.requests(request.operation_id)
    expect(seen).toHaveLength(attempts.length)
  })

  test('what was said before the end of a broken stream is passed on', async () => {
    const request = requestOf('Tell me. [[sandbox fault=stream_cut after=5]]')
    const { text } = await outcomeOf(world.provider(kind), request)
    const whole = await outcomeOf(world.provider(kind), requestOf('Tell me.'))
    expect(text).not.toBe('')
    expect(text.length).toBeLessThan(whole.text.length)
  })

  test('an answer without usage is complete', async () => {
    const request = requestOf('Tell me. [[sandbox fault=usage_missing]]')
    const { events, failure } = await outcomeOf(world.provider(kind), request)
    expect(failure).toBeNull()
    expect(events.map(one => one.type)).not.toContain('usage')
    expect(events.at(-1)).toEqual({ type: 'ended', reason: 'stop' })
  })

  test('a try that would outlive the deadline is not made', async () => {
    const request = requestOf('Tell me. [[sandbox fault=rate_limit retry_after_ms=20000]]')
    const deadline = new Date(Date.now() + 5000)
    const { failure } = await outcomeOf(world.provider(kind), request, { deadline })
    expect(failure?.code).toBe('service_unavailable')
    expect(await world.requests(request.operation_id)).toHaveLength(1)
  })

  test('the deadline ends a call that is silent', async () => {
    const request = requestOf('Tell me. [[sandbox fault=headers_timeout]]')
    const deadline = new Date(Date.now() + 300)
    const { failure, rows } = await outcomeOf(world.provider(kind), request, { deadline })
    expect(failure).toMatchObject({ code: 'upstream_timeout', ambiguous: true })
    expect(rows).toMatchObject([{ state: 'ambiguous' }])
  })

  test('a reader of a long text may wait longer for it than for a whole answer', async () => {
    const request = requestOf('[[sandbox tokens=40 fault=slow ttft_ms=0 delta_ms=20]]')
    const provider = world.provider(kind, { attempt_timeout_ms: 200 })
    const { failure, rows } = await outcomeOf(provider, request, { attempt_ms: 60_000 })
    expect(failure).toBeNull()
    expect(rows).toMatchObject([{ state: 'succeeded' }])
  })

  test('an open circuit sends nothing, and stops only its own model', async () => {
    const provider = world.provider(kind, { max_retries: 0 })
    const fail = () => outcomeOf(provider, requestOf('x [[sandbox fault=status status=503]]'))
    for (let made = 0; made < 5; made++) await fail()
    expect(provider.health('sandbox-large')).toBe('open')
    const request = requestOf('Hello.')
    const { failure, rows } = await outcomeOf(provider, request)
    expect(failure).toMatchObject({ code: 'service_unavailable', retryable: true })
    expect(rows).toEqual([])
    expect(await world.requests(request.operation_id)).toEqual([])
    const other = await outcomeOf(provider, requestOf('Hello.', { model: 'sandbox-small' }))
    expect(other.failure).toBeNull()
  })

  test('streams that are cut open the circuit; callers that leave do not', async () => {
    const provider = world.provider(kind)
    for (let made = 0; made < 6; made++) {
      const slow = requestOf('[[sandbox tokens=500 fault=slow ttft_ms=0 delta_ms=20]]')
      for await (const event of provider.complete(slow, optionsOf())) {
        if (event.type === 'text') break
      }
    }
    expect(provider.health('sandbox-large')).toBe('ok')
    for (let made = 0; made < 5; made++) {
      await outcomeOf(provider, requestOf('x [[sandbox fault=stream_no_terminal]]'))
    }
    expect(provider.health('sandbox-large')).toBe('open')
  })

  test('retries are a share of the calls, and at least ten in ten seconds', async () => {
    const provider = world.provider(kind)
    const attempts: number[] = []
    for (let made = 0; made < 6; made++) {
      const request = requestOf('x [[sandbox fault=rate_limit times=2 retry_after_ms=1]]')
      attempts.push((await outcomeOf(provider, request)).rows.length)
    }
    expect(attempts).toEqual([3, 3, 3, 3, 3, 1])
  })

  test('the words of the provider are in no failure and in no row', async () => {
    const message = 'Your key sk-secret-123 and the prompt of someone else'
    const request = requestOf('Tell me.')
    const match = { operation_id: request.operation_id }
    await world.control('faults', { action: 'status', status: 400, code: message, message, match })
    const { failure, rows } = await outcomeOf(world.provider(kind), request)
    const shown = JSON.stringify([failure?.message, failure?.stack, failure?.cause, failure, rows])
    expect(shown).not.toMatch(/sk-secret|prompt of/)
  })

  if (!of_openai(kind)) return
  test('embeddings fail by the same rules', async () => {
    const provider = world.provider(kind, { attempt_timeout_ms: 2000 })
    const embed = async (fault: object) => {
      const provider_key = newId()
      await world.control('faults', { ...fault, match: { operation_id: provider_key }, times: 9 })
      const ledger = openLedger()
      const request = { operation_id: provider_key, provider_key, model: 'sandbox-embedding' }
      const failure = await provider
        .embed({ ...request, texts: ['x'], safety_identifier: 'u' }, optionsOf({ ledger }))
        .catch((error: unknown) => error)
      return [failure, ledger.rows.map(one => one.state)]
    }
    expect(await embed({ action: 'rate_limit', retry_after_ms: 1 })).toMatchObject([
      { code: 'service_unavailable', ambiguous: false },
      three('failed'),
    ])
    expect(await embed({ action: 'malformed_event' })).toMatchObject([
      { code: 'upstream_invalid_response', ambiguous: true },
      ['ambiguous'],
    ])
    expect(await embed({ action: 'body_stall' })).toMatchObject([
      { code: 'upstream_timeout', ambiguous: true },
      ['ambiguous'],
    ])
    expect(await embed({ action: 'stream_cut' })).toMatchObject([
      { code: 'upstream_invalid_response', ambiguous: true },
      ['ambiguous'],
    ])
  })
})
