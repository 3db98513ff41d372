/** `GET /v1/limits` lists every setting that is no text, and every limit that is named in code. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { SettingTable } from '#dodeca/kernel'
import { kernelSettings } from '../src/kernel/settings.ts'
import { composition } from '../src/platform.ts'
import { openProductWorld } from './product-world.ts'

const world = await openProductWorld()
afterAll(() => world.close())

const root = join(import.meta.dirname, '../src')
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter(name => /^(kernel|surfaces).*(?<!\.test)\.ts$/.test(name) && !name.includes('/test/'))
  .map(name => ({ name, text: readFileSync(join(root, name), 'utf8') }))

/** Bounds of what the platform does by itself; no request is refused because of them. */
const no_limits = [
  'kernel/access/take.ts wait_ms_max',
  'chat/realtime/socket.ts misread_max',
  'identity/pages/form.ts value_max',
  'identity/pages/visit.ts next_max',
  'inference/operations/resume-call.ts looks_max',
  'jobs/jobs/waiting-quota.ts known_max',
  'notifications/outcomes/report-formats.ts max_bytes',
  'payments/settings.ts overdraft_max',
  'uploads/processing/process-file.ts scan_retry_seconds_max',
  'webhooks/deliveries/schemas.ts shown_max',
]

/** Constants whose use is near a refusal, or that bound a schema or a body. */
function limitsIn({ name, text }: (typeof sources)[number]): string[] {
  const constants = text.matchAll(
    /^(?:export )?const ((?:\w+_)?(?:max|most)(?:_\w+)?) = (?=[\d'])/gm,
  )
  return [...constants].flatMap(({ 1: constant = '', index }) => {
    const rest = text.slice(0, index) + text.slice(text.indexOf('\n', index))
    const uses = [...rest.matchAll(new RegExp(`\\b${constant}\\b`, 'g'))]
    const refuses = uses.some(use =>
      /throw\b[^]*problem|problem\(|refus/.test(rest.slice(use.index - 160, use.index + 160)),
    )
    const bounds = new RegExp(
      `(maxItems|maxLength|maximum|body_limit_bytes|text\\(|count\\()[^\\n]*\\b${constant}\\b`,
    )
    return refuses || bounds.test(rest) ? [`${name.replace('surfaces/', '')} ${constant}`] : []
  })
}

test('a constant that refuses a request is declared as a limit', () => {
  expect(sources.flatMap(limitsIn).toSorted()).toEqual(no_limits.toSorted())
})

test('the list has all settings and all limits of the code, with what they apply to', async () => {
  const { token } = await world.member()
  const listed: { name: string; unit: string; applies_to: string }[] = []
  for (let path: string | null = '/v1/limits?limit=100'; path;) {
    const { body } = await world.call('GET', path, { token })
    listed.push(...body.data)
    path = body.next_cursor && `/v1/limits?limit=100&cursor=${body.next_cursor}`
  }
  const tables: SettingTable[] = [
    kernelSettings,
    ...composition.surfaces.map(({ settings }) => settings),
  ]
  const settings = tables
    .flatMap(table => Object.entries(table))
    .filter(([, { kind }]) => kind !== 'text' && kind !== 'list')
    .map(([name]) => name)
  const fixed = sources.flatMap(({ text }) =>
    Array.from(text.matchAll(/\blimit\(\s*'([a-z_]+\.[a-z_]+)'/g), ([, name = '']) => name),
  )
  expect(fixed.length).toBeGreaterThan(20)
  expect(listed.map(({ name }) => name)).toEqual(expect.arrayContaining([...settings, ...fixed]))
  expect(new Set(listed.map(({ name }) => name)).size).toBe(listed.length)
  expect(listed.filter(({ unit, applies_to }) => unit === '' || applies_to === '')).toEqual([])
})
