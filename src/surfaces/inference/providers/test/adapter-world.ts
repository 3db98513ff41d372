/** All adapters before the sandbox's vendors of models, with a ledger that remembers its rows. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecretKey } from 'node:crypto'
import { expect } from 'vitest'
import { newId, parseStandardSecret } from '#dodeca/kernel'
import { openSandbox } from '../../../../sandbox/open-sandbox.ts'
import { anthropic } from '../../../../sandbox/anthropic/anthropic.ts'
import { gemini } from '../../../../sandbox/gemini/gemini.ts'
import { openai } from '../../../../sandbox/openai/openai.ts'
import { usualAuth, type Auth } from '../auth.ts'
import type { Limits } from '../call.ts'
import { openLines } from '../lines.ts'
import { openCompatible } from '../wire/chat.ts'
import { openGemini } from '../wire/gemini.ts'
import { openAnthropic } from '../wire/messages.ts'
import { openOpenai } from '../wire/responses.ts'
import {
  ProviderFailure,
  type AttemptLedger,
  type CallOptions,
  type Provider,
  type ProviderEvent,
  type ProviderKind,
  type ProviderRequest,
} from '../provider.ts'

export type Row = {
  readonly attempt: number
  state: string
  error_code?: string
  provider_request_id?: string
}
export type Ledger = AttemptLedger & { readonly rows: Row[] }

export type Outcome = {
  readonly text: string
  readonly events: ProviderEvent[]
  readonly failure: ProviderFailure | null
  readonly rows: Row[]
}

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads members that it then asserts
type Json = any

export type AdapterWorld = {
  /** With the key in its usual place, unless `auth` says another. */
  provider(kind: ProviderKind, limits?: Partial<Limits>, auth?: (key: string) => Auth): Provider
  address(name: 'api' | 'key' | 'webhook_secret' | 'control', vendor?: string): string
  control(path: string, body?: object): Promise<Json>
  /** Requests of an operation that the provider has journaled. */
  requests(operation_id: string): Promise<Json[]>
  close(): Promise<void>
}

export const kinds = ['openai', 'openai_compatible', 'anthropic', 'gemini'] as const
const vendorOf = (kind: ProviderKind) => (kind === 'openai_compatible' ? 'openai' : kind)

export const limits_default: Limits = {
  attempt_timeout_ms: 10_000,
  max_retries: 2,
  first_event_ms: 10_000,
  idle_ms: 10_000,
  stream_max_ms: 60_000,
}

export async function openAdapterWorld(): Promise<AdapterWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-adapters-'))
  const sandbox = await openSandbox(folder, [openai, anthropic, gemini])
  const opened: Provider[] = []
  const address: AdapterWorld['address'] = (name, vendor = 'openai') =>
    sandbox.addresses[vendor]?.[name] ?? ''
  const controlOf = async (vendor: string, path: string, body?: object): Promise<Json> => {
    const answer = await fetch(new URL(path, sandbox.addresses[vendor]?.['control']), {
      method: body ? 'POST' : 'GET',
      ...(body
        ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
        : {}),
    })
    const text = await answer.text()
    expect(answer.status, text).toBeLessThan(300)
    return JSON.parse(text)
  }
  return {
    address,
    control: (path, body) => controlOf('openai', path, body),
    provider: (kind, limits = {}, auth = key => usualAuth(kind, key)) => {
      const at = sandbox.addresses[vendorOf(kind)]
      const [base_url, key] = [at?.['api'] ?? '', at?.['key'] ?? '']
      const lines = openLines({
        name: 'test',
        limits: { ...limits_default, ...limits },
        breaker_open_ms: 60_000,
        nowMs: () => Date.now(),
        connection: () => ({ base_url, auth: auth(key) }),
      })
      const secret = parseStandardSecret(address('webhook_secret'))
      const secrets = () => [createSecretKey(secret ?? Buffer.alloc(24))]
      const open = {
        openai: () => openOpenai({ name: kind, lines, secrets }),
        openai_compatible: () => openCompatible({ name: kind, lines }),
        anthropic: () => openAnthropic({ name: kind, lines }),
        gemini: () => openGemini({ name: kind, lines }),
      }
      const provider = open[kind]()
      opened.push(provider)
      return provider
    },
    requests: async operation_id => {
      const path = `requests?operation_id=${operation_id}`
      const vendors = Object.keys(sandbox.addresses)
      const found = await Promise.all(vendors.map(vendor => controlOf(vendor, path)))
      return found.flatMap(one => one.data)
    },
    close: async () => {
      for (const one of opened) await one.close()
      await sandbox.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export function requestOf(input: string, more: Partial<ProviderRequest> = {}): ProviderRequest {
  const operation_id = newId()
  return {
    kind: 'text',
    operation_id,
    provider_key: operation_id,
    model: 'sandbox-large',
    input,
    max_output_tokens: 1000,
    safety_identifier: 'u_test',
    ...more,
  }
}

export function openLedger(allowed: (attempt: number) => boolean = () => true): Ledger {
  const rows: Row[] = []
  return {
    rows,
    begin: attempt => {
      if (allowed(attempt)) rows.push({ attempt, state: 'started' })
      return Promise.resolve(allowed(attempt))
    },
    end: (attempt, state, { error_code, provider_request_id }) => {
      const row = rows.find(one => one.attempt === attempt)
      if (row?.state !== 'started') throw new Error(`attempt ${attempt} ends twice`)
      Object.assign(row, { state, error_code, provider_request_id })
      return Promise.resolve()
    },
  }
}

export function optionsOf(more: Partial<CallOptions> = {}): CallOptions {
  const deadline = new Date(Date.now() + 30_000)
  return { signal: new AbortController().signal, ledger: openLedger(), deadline, ...more }
}

/** Reads a call to its end, whatever it is. */
export async function outcomeOf(
  provider: Provider,
  request: ProviderRequest,
  more: Partial<CallOptions> & { ledger?: Ledger } = {},
): Promise<Outcome> {
  const ledger = more.ledger ?? openLedger()
  const events: ProviderEvent[] = []
  let failure: ProviderFailure | null = null
  try {
    for await (const event of provider.complete(request, optionsOf({ ...more, ledger }))) {
      events.push(event)
    }
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    failure = error
  }
  const text = events.map(one => (one.type === 'text' ? one.text : '')).join('')
  return { text, events, failure, rows: ledger.rows }
}
