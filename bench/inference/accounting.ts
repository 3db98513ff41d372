/**
 * The two commits of a call, and nothing else of it: through the platform's database layer, and the same
 * statements in the same order sent by pgbench.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BufferedEvent } from '../../src/kernel/database/drafts.ts'
import { newId, type Sql, type Tx } from '#dodeca/kernel'
import { openOutbox } from '../../src/kernel/events/log/outbox.ts'
import { composition } from '../../src/platform.ts'
import { start } from '../../src/runtime/start.ts'
import { loadConfig } from '../../src/settings.ts'
import type { Deps } from '../../src/surfaces/inference/deps.ts'
import { events } from '../../src/surfaces/inference/events.ts'
import { KnownModels } from '../../src/surfaces/inference/models/known-models.ts'
import { ensureConfigured } from '../../src/surfaces/inference/models/configured.ts'
import type { Call } from '../../src/surfaces/inference/operations/call.ts'
import type { Result } from '../../src/surfaces/inference/operations/call-model.ts'
import { Calls } from '../../src/surfaces/inference/operations/calls.ts'
import { createCall } from '../../src/surfaces/inference/operations/create-call.ts'
import { draftCall, type CallDraft } from '../../src/surfaces/inference/operations/draft-call.ts'
import { settleCall } from '../../src/surfaces/inference/operations/settle-call.ts'
import { Places } from '../../src/surfaces/inference/operations/places.ts'
import { openProviders } from '../../src/surfaces/inference/providers/open-providers.ts'
import { openPolicy } from '../../src/surfaces/inference/safety/policy.ts'
import type { Kernel } from '../../src/surfaces/inference/settings.ts'
import type { Bench } from '../ground/comparison.ts'
import { findPgbench, pgbench } from '../ground/pgbench.ts'
import { productionEnvironment } from '../ground/platform.ts'
import { inline } from '../ground/queues/limit.ts'
import { ratioVerdict, standingsOf, type Section } from '../ground/report.ts'
import { compete, percentile, type Measure } from '../ground/rounds.ts'
import { plentyOfQuota } from './ground.ts'

const clients = 8
const tenants = 64

export async function accounting({ database, options }: Bench): Promise<Section> {
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-bench-accounting-'))
  const url = await database.create('accounting')
  const running = await start(
    loadConfig(
      {},
      {
        ...productionEnvironment(url),
        ROLES: 'api',
        DATA_DIR: folder,
        PUBLIC_URL: 'http://dodeca.test',
        KERNEL_SANDBOX: 'false',
        INFERENCE_PROVIDER: 'openai',
        INFERENCE_API_KEY: 'none',
        INFERENCE_MODEL: 'bench',
        ...plentyOfQuota(),
      },
    ),
    () => {},
    composition,
  )
  const deps = depsOf(running.platform.kernel as unknown as Kernel)
  try {
    await ensureConfigured(deps)
    const script = await scriptOf(deps)
    const program = await findPgbench()
    const [limit, ours] = await compete(
      [
        {
          name: 'pgbench, the same statements',
          run: () => pgbench({ program, url, script, clients }, options),
        },
        { name: 'Dodeca', run: () => measureOurs(deps, options.seconds) },
      ],
      options.rounds,
    )
    if (!limit || !ours) throw new Error('not everybody was measured')
    return standingsOf(
      `Reserve and settle: two commits, ${clients} clients in ${tenants} tenants`,
      [limit, ours],
      [ratioVerdict(ours, limit, 0.7)],
      [
        'Without the call between them. pgbench is on the other core; ours shares one process with its loops.',
      ],
    )
  } finally {
    deps.models.close()
    await deps.calls.close()
    await deps.providers.close()
    await running.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

function depsOf(kernel: Kernel): Deps {
  const own = {
    kernel,
    providers: openProviders(kernel),
    policy: openPolicy(kernel),
    calls: new Calls(kernel),
    places: new Places(1),
    models: new KnownModels(kernel),
    // The callers here are no API keys, which would count on their owners too.
    people: { ownerOf: () => Promise.resolve(null) },
  }
  // No job takes part in a call.
  return own as unknown as Deps
}

const tenantOf = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`

function draftOf(deps: Deps, tenant_id: string): Promise<CallDraft> {
  return draftCall(deps, {
    tenant_id,
    actor_id: tenant_id,
    model: 'default',
    content: { input: 'Say something.' },
    parameters: { max_output_tokens: 20 },
    prompt: 'plain@1',
    workload: 'inference',
    class: 'call',
    store: false,
    deadline_ms: 75_000,
  })
}

function resultOf(): Result {
  return {
    ending: { state: 'succeeded', finish_reason: 'length' },
    text: 'Twenty words of an answer. '.repeat(4),
    spent: {
      as: 'succeeded',
      input: 60,
      reasoning: 0,
      cached_input: 0,
      output: 20,
      source: 'provider',
      model_snapshot: 'bench-2026-01-01',
      provider_request_id: 'req_0123456789',
      compute_ms: 10,
    },
    response_id: 'resp_0123456789',
    decided: [],
    attempt: {
      attempt: 1,
      state: 'succeeded',
      provider_request_id: 'req_0123456789',
      error_code: null,
      latency_ms: 10,
    },
  }
}

async function measureOurs(deps: Deps, seconds: number): Promise<Measure> {
  const { db } = deps.kernel
  const drafts = await Promise.all(
    Array.from({ length: tenants }, (_, n) => draftOf(deps, tenantOf(n + 1))),
  )
  const result = resultOf()
  const latencies: number[] = []
  const until = performance.now() + seconds * 1000
  let turn = 0
  const client = async () => {
    while (performance.now() < until) {
      const draft = drafts[turn++ % tenants]
      if (!draft) return
      const began = performance.now()
      const call = await db.tx(tx => createCall(tx, deps, draft, { id: newId() }))
      await db.tx(tx => settleCall(tx, deps, call, result))
      latencies.push(performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return {
    per_second: latencies.length / seconds,
    p50_ms: percentile(latencies, 0.5),
    p99_ms: percentile(latencies, 0.99),
    cpu_us: null,
    unexpected: 0,
  }
}

/** Stand for what the script computes. */
const tenant_place = tenantOf(999_998)
const operation_place = tenantOf(999_999)

/** Made by the functions that send them, so that it cannot fall behind. */
async function scriptOf(deps: Deps): Promise<string> {
  const sent: Sql[] = []
  const emitted: BufferedEvent[] = []
  const row = { created_at: '', deadline_at: '', version: 2, completed_at: '' }
  const tx = {
    atCommit: (statement: Sql) => sent.push(statement),
    maybe: async (_schema: unknown, statement: Sql) => {
      sent.push(statement)
      return row
    },
    afterCommit: () => {},
    emit: (event: BufferedEvent) => emitted.push({ ...event, id: '@events' }),
  } as unknown as Tx
  const draft = {
    ...(await draftOf(deps, tenantOf(1))),
    tenant_id: tenant_place,
    actor_id: tenant_place,
  }
  const call: Call = await createCall(tx, deps, draft, { id: operation_place })
  const begun = sent.length
  await settleCall(tx, deps, call, resultOf())
  const computed = new Map([
    [tenant_place, `('00000000-0000-7000-8000-' || lpad(:tenant::text, 12, '0'))::uuid`],
    [operation_place, `('00000000-0000-7000-9000-' || lpad(:operation::text, 12, '0'))::uuid`],
    ['@events', 'uuidv7()'],
  ])
  const outbox = openOutbox(new Map(Object.entries(events)))(
    emitted.map(event => ({ ...event, tenant_id: tenantOf(1), aggregate_id: tenantOf(1) })),
    [],
  )
  const packet = (statements: readonly Sql[]) =>
    statements.map(one => `${inline(one, computed)};`).join('\n')
  return `
\\set tenant random(1, ${tenants})
\\set operation random(1, 999999999999)
\\startpipeline
begin;
${packet(sent.slice(0, begun))}
commit;
\\endpipeline
\\startpipeline
begin;
${packet(sent.slice(begun))}
\\endpipeline
\\startpipeline
${packet(outbox)}
commit;
\\endpipeline
`
}
