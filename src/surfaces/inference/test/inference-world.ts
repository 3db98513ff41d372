/** A platform with a model provider beside it: the sandbox, with its control plane and journal. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Type } from 'typebox'
import { expect } from 'vitest'
import {
  modelsAt,
  openProductWorld,
  type Member,
  type ProductWorld,
  type Tenant,
} from '../../../../test/product-world.ts'
import { newKey, type Answer, type Ask } from '../../../../test/world.ts'
import { sql, type Db } from '#dodeca/kernel'
import type { Composition } from '../../../runtime/platform-parts.ts'
import { openSandbox } from '../../../sandbox/open-sandbox.ts'
import { openai } from '../../../sandbox/openai/openai.ts'
import type { Inside } from '../face.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads members that it then asserts
type Json = any

export type SseFrame = { readonly id: string | null; readonly event: string; readonly data: Json }

export type Fault = {
  readonly action: string
  readonly match?: object
  readonly times?: number
  readonly [more: string]: unknown
}

export type Someone = Member & {
  ask(method: string, path: string, body?: unknown, more?: Partial<Ask>): Promise<Answer>
  /** A blocking call; the key is of this test. */
  infer(input: string, more?: object, key?: string): Promise<Answer>
  stream(input: string, more?: object, key?: string): Promise<Streamed>
}

export type Streamed = {
  readonly status: number
  readonly frames: SseFrame[]
  readonly body: Json
  /** All deltas. */
  readonly text: string
  readonly last: SseFrame | undefined
}

export type InferenceWorld = ProductWorld & {
  readonly face: Inside
  someone(tenant?: Tenant): Promise<Someone>
  /** A member whose `default` is a line to the provider that no other test uses. */
  alone(): Promise<Someone>
  control(path: string, body?: object, method?: string): Promise<Json>
  /** At OpenAI, or at another vendor of models. */
  fault(fault: Fault, vendor?: string): Promise<void>
  /** What the provider received for an operation, or of all. */
  journal(operation_id?: string): Promise<Json[]>
  usage(operation_id: string): Promise<Json[]>
  attempts(operation_id: string): Promise<{ attempt: number; state: string; run: number }[]>
  held(tenant_id: string): Promise<number>
  /** Violated invariants, by all checks of inference. */
  faults(): Promise<string[]>
}

export type ModelProvider = {
  /** Where it is, as a platform is configured with it. */
  readonly settings: Readonly<Record<string, string>>
  control(path: string, body?: object, method?: string): Promise<Json>
  close(): Promise<void>
}

/** The sandbox's model provider, for any world. */
export async function openModelProvider(): Promise<ModelProvider> {
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-inference-'))
  const sandbox = await openSandbox(folder, [openai])
  const { openai: at } = sandbox.addresses
  return {
    settings: modelsAt(at),
    control: controlAt(at?.['control'] ?? ''),
    close: async () => {
      await sandbox.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export async function openInferenceWorld(
  settings?: Record<string, string>,
  composed?: Composition,
): Promise<InferenceWorld> {
  const world = await openProductWorld(settings, composed)
  const ask = controlAt(world.vendors['openai']?.['control'] ?? '')
  await ask('config', { webhook_url: `${world.url}/webhooks/openai` })
  const { db } = world.platform.kernel
  const inference = world.platform.opened['inference']
  return {
    ...world,
    face: inference?.face as Inside,
    control: ask,
    someone: async tenant => someoneIn(world, await world.member(tenant)),
    alone: () => aloneIn(world, nextProvider(world)),
    fault: async (fault, vendor = 'openai') => {
      await controlAt(world.vendors[vendor]?.['control'] ?? '')('faults', fault)
    },
    journal: async operation_id => {
      const query = operation_id === undefined ? '' : `?operation_id=${operation_id}`
      const planes = of_models.flatMap(name => world.vendors[name]?.['control'] ?? [])
      const found = await Promise.all(
        planes.map(plane => controlAt(plane)(`requests${query}`, {}, 'GET')),
      )
      return found.flatMap(one => one.data)
    },
    ...recordsOf(db),
    faults: async () => {
      const found = await Promise.all((inference?.checks ?? []).map(check => check.run()))
      return found.flat()
    },
  }
}

const of_models = ['openai', 'anthropic', 'gemini']
const used = new Map<string, number>()

/** The name of a provider of this world that no test has used. */
function nextProvider({ url }: ProductWorld): string {
  const at = used.get(url) ?? 0
  used.set(url, at + 1)
  return `p${at}`
}

function recordsOf(db: Db): Pick<InferenceWorld, 'usage' | 'attempts' | 'held'> {
  return {
    usage: operation_id =>
      db.many(
        Type.Object({ run: Type.Integer(), status: Type.String(), output_tokens: Type.Integer() }),
        sql`
          -- any tenant: the operation's own id
          select run, status, output_tokens, input_tokens, source, price_version,
            counted_on::text, estimated_cost_minor_units::text as cost
          from inference.generation_usage where operation_id = ${operation_id} order by run`,
      ),
    attempts: operation_id =>
      db.many(
        Type.Object({ attempt: Type.Integer(), state: Type.String(), run: Type.Integer() }),
        sql`
          -- any tenant: the operation's own id
          select attempt, state, run from inference.inference_attempts
          where operation_id = ${operation_id} order by attempt`,
      ),
    held: async tenant_id => {
      const { held } = await db.one(
        Type.Object({ held: Type.Integer() }),
        sql`
          select count(*)::int as held from inference.quota_reservations
          where tenant_id = ${tenant_id} and state = 'held'`,
      )
      return held
    },
  }
}

function controlAt(control: string) {
  return async (path: string, body: object = {}, method = 'POST'): Promise<Json> => {
    const answer = await fetch(new URL(path, control), {
      method,
      ...(method === 'POST'
        ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
        : {}),
    })
    const text = await answer.text()
    expect(answer.status, text).toBeLessThan(300)
    return text ? JSON.parse(text) : null
  }
}

async function aloneIn(world: ProductWorld, provider: string): Promise<Someone> {
  const one = someoneIn(world, await world.member())
  await world.allow(one, 'inference.models.write', 'inference.platform.write')
  const made = await one.ask('POST', '/v1/models', {
    provider,
    model_name: 'sandbox-large',
    capability: ['text', 'json_schema', 'stream'],
    max_context: 1_000_000,
    max_output: 16_000,
    state: 'active',
    aliases: [{ alias: 'default' }],
  })
  expect(made.status, made.text).toBe(201)
  return one
}

function someoneIn(world: ProductWorld, member: Member): Someone {
  const { token } = member
  const ask: Someone['ask'] = (method, path, body, more = {}) =>
    world.call(method, path, { token, ...(body === undefined ? {} : { body }), ...more })
  return {
    ...member,
    ask,
    infer: (input, more = {}, key = newKey()) =>
      ask('POST', '/v1/inferences', { model: 'default', input, ...more }, { key }),
    stream: async (input, more = {}, key = newKey()) => {
      const body = { model: 'default', input, ...more }
      const headers = { accept: 'text/event-stream' }
      const answer = await ask('POST', '/v1/inferences:stream', body, { key, headers })
      return streamedOf(answer)
    },
  }
}

export function streamedOf({ status, text, body }: Answer): Streamed {
  const frames = status === 200 ? framesOf(text) : []
  const said = frames.filter(one => one.event === 'delta' || one.event === 'token')
  return {
    status,
    frames,
    body,
    text: said.map(one => one.data.text).join(''),
    last: frames.at(-1),
  }
}

export function framesOf(text: string): SseFrame[] {
  return text
    .split('\n\n')
    .filter(block => block.includes('event: '))
    .map(block => ({
      id: /^id: (.*)$/m.exec(block)?.[1] ?? null,
      event: /^event: (.*)$/m.exec(block)?.[1] ?? '',
      data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? 'null'),
    }))
}

export const code = ({ status, body }: { status: number; body: Json }): [number, string] => [
  status,
  body?.code,
]
