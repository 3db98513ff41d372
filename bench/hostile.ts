/**
 * How long other requests wait while a client sends input that takes long to validate: job
 * parameters against hostile schemas and patterns, through the product over HTTP. Also the longest
 * single validation in this process.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { compileSchema, newId, Refused } from '#dodeca/kernel'
import { comparison } from './ground/comparison.ts'
import { requestText } from './ground/load.ts'
import { figure, type Section } from './ground/report.ts'
import { percentile } from './ground/rounds.ts'
import { openWire } from './ground/wire.ts'
import { startOperated, type Operated } from './ground/operated.ts'

const list = (length: number) => Array.from({ length }, (_, n) => ({ n, text: `item ${n}` }))
const doubling = (depth: number) => {
  const level = (n: number) => ({ anyOf: [{ $ref: `#/$defs/d${n}` }, { $ref: `#/$defs/d${n}` }] })
  const levels = Array.from({ length: depth }, (_, n) => [`d${n}`, level(n + 1)] as const)
  const $defs = { ...Object.fromEntries(levels), [`d${depth}`]: false }
  return { properties: { x: { $ref: '#/$defs/d0' } }, $defs }
}
const under = (schema: object) => ({ properties: { x: schema } })

/** A schema, and parameters that keep it busy: at most 16 KiB of each. */
const cases: readonly (readonly [string, object, unknown])[] = [
  ['^(a|a)*$', under({ pattern: '^(a|a)*$' }), `${'a'.repeat(16_000)}!`],
  ['(.*a){20}b', under({ pattern: '(.*a){20}b' }), 'a'.repeat(16_000)],
  ['a long pattern', under({ pattern: '(?:[ab]?){500}[^x]{400}$' }), 'ab'.repeat(8000)],
  ['references that double', doubling(36), 1],
  [
    '110 alternatives',
    under({ items: { anyOf: list(110).map(({ n }) => ({ const: n })) } }),
    list(4000).map(() => 109),
  ],
  [
    '110 properties',
    under({
      properties: Object.fromEntries(
        list(110).map(({ n }) => [`p${n}`, { type: 'string', minLength: 1, maxLength: 9 }]),
      ),
    }),
    Object.fromEntries(list(110).map(({ n }) => [`p${n}`, `${n}`])),
  ],
  [
    'unique items',
    under({ uniqueItems: true, items: { uniqueItems: true } }),
    list(600).map(one => [one]),
  ],
]

const hostile_connections = 8
const watched_gap_ms = 10

await comparison('hostile', async ({ options, database }) => {
  const at = await startOperated(database, 'hostile')
  try {
    const types: string[] = []
    for (const [, parameters_schema] of cases) {
      const type = `hostile.case_${types.length}`
      const { status, body } = await at.call('PUT', `/v1/job-types/${type}`, {
        schema_version: 1,
        parameters_schema,
      })
      if (status >= 300) throw new Error(JSON.stringify(body))
      types.push(type)
    }
    const alone = await watch(at, options.seconds)
    let stopped = false
    const flood = Promise.all(
      Array.from({ length: hostile_connections }, (_, n) => send(at, types, n, () => stopped)),
    )
    const beside = await watch(at, options.seconds)
    stopped = true
    const sent = (await flood).reduce((sum, count) => sum + count, 0)
    return [besideSection(alone, beside, sent / options.seconds), await longestChecks()]
  } finally {
    await at.stop()
  }
})

/** Latencies of small requests that have nothing to do with it. */
async function watch({ port, token }: Operated, seconds: number): Promise<number[]> {
  const wire = await openWire(port)
  const request = requestText({ path: '/v1/me', token })
  const until = performance.now() + seconds * 1000
  const taken: number[] = []
  while (performance.now() < until) {
    const began = performance.now()
    const { status } = await wire.ask(request)
    if (status !== 200) throw new Error(`/v1/me: ${status}`)
    taken.push(performance.now() - began)
    await pause(watched_gap_ms)
  }
  wire.close()
  return taken.toSorted((a, b) => a - b)
}

async function send(
  { port, token }: Operated,
  types: readonly string[],
  from: number,
  stopped: () => boolean,
): Promise<number> {
  const wire = await openWire(port)
  let count = 0
  for (; !stopped(); count++) {
    const at = (from + count) % cases.length
    const parameters = { x: cases[at]?.[2] }
    const key = `bench-${newId()}`
    const body = { type: types[at], parameters }
    await wire.ask(requestText({ method: 'POST', path: '/v1/jobs', token, key, body }))
  }
  wire.close()
  return count
}

function besideSection(alone: number[], beside: number[], per_second: number): Section {
  const row = (name: string, taken: number[]) => [
    name,
    figure(percentile(taken, 0.5)),
    figure(percentile(taken, 0.99)),
    figure(taken.at(-1) ?? 0),
  ]
  return {
    title: 'GET /v1/me beside hostile schemas and patterns',
    columns: ['', 'p50 ms', 'p99 ms', 'longest ms'],
    rows: [row('alone', alone), row(`beside ${figure(per_second)} hostile jobs a second`, beside)],
    verdicts: [
      {
        says: 'Longest request beside them',
        reached: beside.at(-1) ?? 0,
        target: 100,
        unit: 'ms',
        wanted: 'at most',
      },
    ],
    notes: [`${hostile_connections} connections send without a pause; rates are out of the way.`],
  }
}

async function longestChecks(): Promise<Section> {
  await compileSchema({ type: 'string', pattern: '^a' })
  const rows: string[][] = []
  let longest = 0
  for (const [name, schema, x] of cases) {
    // The next check waits for longer than the last ones took: that is no part of its time.
    await pause(200)
    let outcome = 'refused'
    let [compile_ms, check_ms] = [0, 0]
    const began = performance.now()
    try {
      const fits = await compileSchema(schema)
      compile_ms = performance.now() - began
      await pause(200)
      const checked = performance.now()
      const [fault] = await fits({ x }, '')
      check_ms = performance.now() - checked
      outcome = fault?.constraint ?? 'fits'
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      compile_ms = performance.now() - began
    }
    longest = Math.max(longest, compile_ms, check_ms)
    rows.push([name, figure(compile_ms), figure(check_ms), outcome])
  }
  return {
    title: 'The longest single check',
    columns: ['', 'compile ms', 'check ms', 'outcome'],
    rows,
    verdicts: [{ says: 'Longest', reached: longest, target: 50, unit: 'ms', wanted: 'at most' }],
    notes: ['So long the thread that serves requests stands still; then others have their turn.'],
  }
}
