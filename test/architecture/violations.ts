/**
 * Small sources that break each rule of the house, and similar ones that keep it. A rule that
 * cannot fail is useless, so the test requires a broken case for every rule.
 */
/* oxlint-disable no-template-curly-in-string -- the snippets are source text, not templates of ours */
export type Case = {
  readonly title: string
  /** The one rule that must fire, or null where none may. */
  readonly rule: string | null
  /** Paths and what stands in them after the opening comment. */
  readonly files: Readonly<Record<string, string>>
}

const at =
  (path: string) =>
  (rule: string | null, title: string, text: string): Case => ({
    rule,
    title,
    files: { [path]: text },
  })

const kernel = at('src/kernel/limits.ts')
const jobs = at('src/surfaces/jobs/claim-jobs.ts')
const mini = at('test/surfaces/mini/claim.ts')
const sandbox = at('src/sandbox/mail/server.ts')
const start = at('src/platform.ts')
const runtime = at('src/runtime/start.ts')
const inTest = at('src/surfaces/jobs/test/claim.test.ts')
const long = (lines: number) => 'const x = 1\n'.repeat(lines)
const spread = (lines: number) => `function f() {\n${long(lines - 2)}}\n`

const imports: readonly Case[] = [
  kernel('kernel-border', 'a kernel that knows a surface', `import '../surfaces/jobs/routes.ts'`),
  kernel('kernel-border', 'even as a type', `import type { A } from '../surfaces/jobs/face.ts'`),
  kernel('kernel-border', 'or by export', `export * from '../surfaces/jobs/face.ts'`),
  kernel('kernel-border', 'or inside a type', `type A = import('../surfaces/jobs/face.ts').A`),
  kernel('kernel-border', 'or later', `const a = await import('../surfaces/jobs/face.ts')`),
  kernel('kernel-border', 'or by the composition', `import { composition } from '../platform.ts'`),
  kernel('kernel-border', 'a kernel that knows the runtime', `import '../runtime/start.ts'`),
  runtime('runtime-border', 'a runtime that knows a surface', `import '../surfaces/jobs/face.ts'`),
  runtime('runtime-border', 'or the composition', `import { a } from '../platform.ts'`),
  runtime(null, 'a runtime on the kernel', `import { newId } from '../kernel/ids.ts'`),
  jobs('runtime-border', 'a surface on the runtime', `import { a } from '../../runtime/start.ts'`),
  jobs(null, 'a surface on the kernel', `import { sql } from '#dodeca/kernel'`),
  jobs('kernel-entry', 'past its entry', `import { a } from '../../kernel/ids.ts'`),
  mini('kernel-entry', 'even as a type', `import type { A } from '../../../src/kernel/ids.ts'`),
  at('src/kernel/database/db.ts')(
    'kernel-order',
    'a lower part of the kernel on a higher one',
    `import type { A } from '../http/contract/route.ts'`,
  ),
  kernel(null, 'a kernel among itself', `import { newId } from './ids.ts'`),
  jobs(null, 'a face as a type', `import type { Files } from '../uploads/face.ts'`),
  jobs('surface-border', 'a face as a value', `import { files } from '../uploads/face.ts'`),
  jobs('surface-border', 'a half type', `import { type Files } from '../uploads/face.ts'`),
  jobs('surface-border', 'a use case', `import { put } from '../uploads/put-file.ts'`),
  jobs('surface-border', 'a schema', `import type { F } from '../uploads/schemas.ts'`),
  jobs('surface-border', 'a deeper face', `import type { F } from '../uploads/parts/face.ts'`),
  jobs(null, 'events of another surface', `import { events } from '../uploads/events.ts'`),
  jobs(null, 'its own use case', `import { a } from './submit-job.ts'`),
  mini('surface-border', 'a small surface, the same', `import { a } from '../other/put-file.ts'`),
  sandbox('sandbox-border', 'a surface', `import { a } from '../../surfaces/jobs/events.ts'`),
  jobs('sandbox-border', 'the sandbox', `import { a } from '../../sandbox/mail/server.ts'`),
  kernel('sandbox-border', 'the sandbox', `import { a } from '../sandbox/mail/server.ts'`),
  at('console/app.ts')(
    'client-border',
    'a console inside',
    `import { a } from '../src/runtime/config.ts'`,
  ),
  at('client/src/index.ts')(
    'client-border',
    'a client inside',
    `import '../../src/runtime/config.ts'`,
  ),
  at('console/app.ts')(
    null,
    'a console on the client',
    `import { a } from '../client/src/index.ts'`,
  ),
  start('production-border', 'a test', `import { world } from '../test/world.ts'`),
  start(
    'production-border',
    'a small surface',
    `import { a } from '../test/surfaces/mini/surface.ts'`,
  ),
  jobs('production-border', 'its own test', `import { a } from './test/bundle.ts'`),
  start('production-border', 'a script', `import { a } from '../scripts/check.ts'`),
  jobs('opaque-import', 'a computed import', `const name = './a.ts'\nawait import(name)`),
  jobs('package-owner', 'pg in a surface', `import pg from 'pg'`),
  kernel('package-owner', 'pg in the kernel at large', `import type pg from 'pg'`),
  kernel('package-owner', 'the router at large', `import findMyWay from 'find-my-way'`),
  jobs('package-owner', 'ids from elsewhere', `import { uuidv7 } from 'uuidv7'`),
  at('src/kernel/database/db.ts')(null, 'pg at home', `import pg from 'pg'`),
  at('src/kernel/http/server/app.ts')(
    null,
    'the router at home',
    `import findMyWay from 'find-my-way'`,
  ),
  inTest(null, 'pg in a test', `import pg from 'pg'`),
  {
    rule: 'circle',
    title: 'a circle of imports',
    files: {
      'src/kernel/a.ts': `import { b } from './b.ts'`,
      'src/kernel/b.ts': `import type { C } from './c.ts'`,
      'src/kernel/c.ts': `export { a } from './a.ts'`,
    },
  },
  {
    rule: null,
    title: 'a diamond of imports',
    files: {
      'src/kernel/a.ts': `import './b.ts'\nimport './c.ts'`,
      'src/kernel/b.ts': `import './d.ts'`,
      'src/kernel/c.ts': `import './d.ts'`,
      'src/kernel/d.ts': 'export const d = 1',
    },
  },
  {
    rule: 'folder-circle',
    title: 'a folder and a file that import each other',
    files: {
      'src/kernel/http/lists/list.ts': `import { a } from '../route.ts'`,
      'src/kernel/http/route.ts': `import type { B } from './lists/facts.ts'`,
    },
  },
  {
    rule: null,
    title: 'features of a surface that call each other',
    files: {
      'src/surfaces/jobs/attempts/end.ts': `import { a } from '../jobs/find.ts'`,
      'src/surfaces/jobs/jobs/cancel.ts': `import { b } from '../attempts/stop.ts'`,
    },
  },
  {
    rule: 'face-circle',
    title: 'a circle of faces',
    files: {
      'src/surfaces/jobs/claim-jobs.ts': `import type { A } from '../uploads/face.ts'`,
      'src/surfaces/uploads/scan-file.ts': `import type { B } from '../jobs/face.ts'`,
    },
  },
  {
    rule: null,
    title: 'a face one way and events the other',
    files: {
      'src/surfaces/jobs/claim-jobs.ts': `import type { A } from '../uploads/face.ts'`,
      'src/surfaces/uploads/scan-file.ts': `import { b } from '../jobs/events.ts'`,
    },
  },
]

const sqlFile = at('src/surfaces/jobs/migrations/0001-jobs.sql')

const statements: readonly Case[] = [
  jobs('foreign-schema', 'a foreign table', 'sql`select id from uploads.files`'),
  jobs('foreign-schema', 'a quoted one', 'sql`select id from "uploads"."files"`'),
  jobs('foreign-schema', 'a nested one', 'sql`select 1 ${a ? sql`from uploads.files` : b}`'),
  jobs('foreign-schema', 'one in pieces', `sql.id('uploads', 'files')`),
  jobs('foreign-schema', 'one that the kernel is given', `queue({ table: 'uploads.files' })`),
  jobs(null, 'its own that the kernel is given', `queue({ table: 'jobs.jobs' })`),
  jobs('foreign-schema', 'one after a parameter', 'sql`select ${a}, b from jobs.jobs, uploads.f`'),
  jobs(null, 'its own and the kernel', 'sql`select kernel.now() from jobs.jobs j where ${a}`'),
  jobs(null, 'a name in a text', `sql\`select 'uploads.files.read' -- uploads.files\n\``),
  jobs(null, 'another tag', 'html`uploads.files`'),
  kernel('foreign-schema', 'a surface from the kernel', 'sql`delete from jobs.jobs`'),
  start('foreign-schema', 'a surface from the root', 'sql`delete from jobs.jobs`'),
  sandbox('foreign-schema', 'the kernel from outside', 'sql`select kernel.now()`'),
  mini(null, 'a small surface in its own', 'sql`select id from mini.things`'),
  mini('foreign-schema', 'a small surface elsewhere', 'sql`select id from jobs.jobs`'),
  sqlFile(
    'foreign-schema',
    'a foreign key abroad',
    'create table jobs.a (f uuid references uploads.f)',
  ),
  sqlFile('foreign-schema', 'a foreign schema', 'create schema if not exists uploads'),
  sqlFile('foreign-schema', 'a search path', 'set search_path = uploads'),
  sqlFile(null, 'its own schema', `create schema jobs; comment on schema jobs is 'see uploads.f'`),
  sqlFile('announcement', 'a trigger that notifies', `select pg_notify('a', 'b')`),
  jobs('announcement', 'a notify', 'sql`notify kernel_wake`'),
  jobs('announcement', 'an own event', 'sql`insert into kernel.outbox_events (id) values (${a})`'),
  jobs(null, 'the word elsewhere', 'sql`select notify from jobs.jobs where notify`'),
  at('src/kernel/events/log/outbox.ts')(
    null,
    'the kernel itself',
    'sql`insert into kernel.outbox_events (id) select 1`',
  ),
]

const reading: readonly Case[] = [
  jobs('clock-and-chance', 'the time', 'const a = Date.now()'),
  jobs('clock-and-chance', 'the time, not called', 'const a = { now: Date.now }'),
  jobs('clock-and-chance', 'the time, taken out', 'const { now } = Date'),
  jobs('clock-and-chance', 'the time, from afar', 'globalThis.Date.now()'),
  jobs('clock-and-chance', 'a date of now', 'const a = new Date()'),
  jobs('clock-and-chance', 'a text of now', 'const a = Date()'),
  jobs('clock-and-chance', 'chance', 'const a = Math.random()'),
  jobs('clock-and-chance', 'an id', `import { randomUUID } from 'node:crypto'`),
  jobs('clock-and-chance', 'an id of the global', 'const a = crypto.randomUUID()'),
  sandbox('clock-and-chance', 'the time outside', 'const a = Date.now()'),
  jobs(null, 'a given time', 'const a = new Date(b)\nconst c = performance.now()'),
  at('src/kernel/clock.ts')(null, 'the clock', 'const a = Date.now()'),
  inTest(null, 'a test', 'const a = Date.now()\nconst b = process.env.B'),
  jobs('environment', 'the environment', 'const a = process.env.PORT'),
  jobs('environment', 'by another name', `const a = process['env']`),
  jobs('environment', 'taken out', 'const { env } = process'),
  jobs('environment', 'imported', `import { env } from 'node:process'`),
  at('bench/jobs.ts')(null, 'a bench, which starts programs', 'const a = process.env.PATH'),
  at('src/runtime/config.ts')(null, 'the configuration', 'const a = process.env'),
  at('test/testing/dodeca.config.ts')(null, 'an application', 'export default {}'),
  at('scripts/check.ts')(null, 'a script', 'const a = process.env.CI'),
  jobs(null, 'the rest of process', `import { pid } from 'node:process'\nprocess.on('exit', a)`),
]

const shape: readonly Case[] = [
  jobs('banned-syntax', 'a default export', 'export default 1'),
  jobs('banned-syntax', 'a renamed default', 'const a = 1\nexport { a as default }'),
  jobs('banned-syntax', 'an enum', 'enum A {\n  b,\n}'),
  jobs('banned-syntax', 'a namespace', 'namespace A {\n  const b = 1\n}'),
  jobs(
    'banned-syntax',
    'a parameter property',
    'class A {\n  constructor(private a: string) {}\n}',
  ),
  jobs(null, 'a merged declaration', `declare module 'vitest' {\n  const a: number\n}`),
  jobs('function-length', 'a function of 71 lines', spread(71)),
  jobs('function-length', 'an arrow of 71 lines', `const f = () => {\n${long(69)}}`),
  jobs(null, 'a function of 70 lines', spread(70)),
  inTest(null, 'a long list of tests', `describe.concurrent('a', () => {\n${long(80)}})`),
  inTest(null, 'a long list of drills', `describeDrill('a', () => {\n${long(80)}})`),
  jobs('file-length', 'a file of 301 lines', long(300)),
  jobs(null, 'a file of 300 lines', long(299)),
  at('src/surfaces/jobs/settings.ts')(null, 'a long table of settings', long(400)),
  at('src/kernel/utils.ts')('empty-name', 'a drawer', ''),
  at('src/kernel/helpers/ids.ts')('empty-name', 'a folder of drawers', ''),
  at('src/surfaces/identity/service-accounts.ts')(null, 'a noun of the domain', ''),
  jobs('disable-reason', 'a rule that is off', '// oxlint-disable-next-line no-console'),
  jobs('disable-reason', 'a thin reason', '// oxlint-disable-next-line no-console -- ok'),
  jobs(
    null,
    'a rule with a reason',
    '// oxlint-disable-line no-console -- the terminal is the reader',
  ),
]

export const violations: readonly Case[] = [...imports, ...statements, ...reading, ...shape]
