/**
 * How `.ci/run` divides its time: it begins no part after one limit, ends what runs at another, and names
 * both at the end as not run. Its checks are small programs here, and bash's own clock, `SECONDS`, is set
 * to shortly before a limit, so that no test waits for one.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { commandLine } from '../../src/runtime/data-dir.ts'

const root = resolve(import.meta.dirname, '../..')
const run = promisify(execFile)
const folder = await mkdtemp(join(tmpdir(), 'dodeca-ci-'))
afterAll(() => rm(folder, { recursive: true }))

type Plan = {
  /** In the place of `npm test`. */
  readonly whole?: string
  /** A part `<database> <name>` and its program. */
  readonly parts: Readonly<Record<string, string>>
  readonly commit?: string
  /** Replaces functions of the script. */
  readonly functions?: string
}

const passes = `echo '2 passed, 0 failed, 0 skipped'`
const fails = `echo 'failed: a.test.ts: its error'; echo '4 passed, 1 failed'; exit 1`
/** Starting this database takes until shortly before the limit. */
const late = (limit: 'begin' | 'end', seconds: number) =>
  `start_pgbouncer() { pooler_port=1; SECONDS=$((${limit}_seconds - ${seconds})); }`

async function outcome({ whole = passes, parts, commit = '0000000', functions = '' }: Plan) {
  const home = await mkdtemp(join(folder, 'run-'))
  for (const [part, program] of Object.entries({ ...parts, 'embedded whole': whole })) {
    const name = part.split(' ')[1] ?? ''
    await writeFile(join(home, name), `echo ${name} >>${home}/begun; ${program}`)
  }
  const quoted = Object.keys(parts).map(part => `'${part}'`)
  const script = `source .ci/run
    check_machine() { :; }; install_engines() { :; }; audit_packages() { :; }; static_check() { :; }
    start_postgres_15() { postgres_url=; }
    whole=(bash ${home}/whole); tests=(bash -c '. ${home}/$0')
    parts=(${quoted.join(' ')})
    ${functions}
    main; echo "status $?"`
  const env = { PATH: process.env['PATH'], CI_COMMIT: commit }
  const { stdout } = await run('bash', ['-c', script], { env, cwd: root })
  const lines = stdout.trimEnd().split('\n')
  const begun = await readFile(join(home, 'begun'), 'utf8')
  const times = lines.findLastIndex(line => line.startsWith('took '))
  return {
    begun: begun.trimEnd().split('\n'),
    took: lines.filter(line => /^took +\d+ min \d\d s: /.test(line)),
    failures: lines.slice(0, times).filter(line => /^(FAILED|failed:)/.test(line)),
    ending: lines.slice(times + 1),
  }
}

describe.concurrent('.ci/run', () => {
  test('begins at another part for each commit and runs each once', async () => {
    const parts = { 'embedded a': passes, 'embedded b': passes, 'embedded c': fails }
    const [first, second] = await Promise.all([
      outcome({ parts, commit: 'ffffff0000000' }),
      outcome({ parts, commit: 'ffffff0000001' }),
    ])
    expect(first.begun).toEqual(['whole', 'a', 'b', 'c'])
    expect(second.begun).toEqual(['whole', 'b', 'c', 'a'])
    expect(first.ending).toEqual(['10 passed, 1 failed', 'status 1'])
    expect(second.took).toHaveLength(4)
    expect(second.failures).toContain('failed: a.test.ts: its error')
  })

  test('begins no part after the first limit', async () => {
    const { begun, ending } = await outcome({
      parts: { 'pgbouncer a': passes, 'embedded b': passes, 'pgbouncer c': passes },
      functions: late('begin', 0),
    })
    expect(begun).toEqual(['whole', 'a'])
    const left_out = ['not run here: embedded b', 'not run here: pgbouncer c']
    expect(ending).toEqual([...left_out, '4 passed, 0 failed, 2 skipped', 'status 0'])
  })

  test('begins one part however late it is', async () => {
    const { begun, ending } = await outcome({
      parts: { 'embedded a': passes, 'embedded b': passes },
      commit: '0000001',
      functions: 'audit_packages() { SECONDS=$begin_seconds; }',
    })
    expect(begun).toEqual(['whole', 'b'])
    const left_out = 'not run here: embedded a'
    expect(ending).toEqual([left_out, '4 passed, 0 failed, 1 skipped', 'status 0'])
  })

  test('fails each part whose database cannot be started', async () => {
    const { begun, failures, ending } = await outcome({
      parts: { 'postgres_15 a': passes, 'embedded b': passes, 'pgbouncer c': passes },
      functions: 'start_postgres_15() { touch "$work/postgres_15.log"; return 1; }',
    })
    expect(begun).toEqual(['whole', 'b'])
    expect(failures).toContain('FAILED pgbouncer c: postgres_15 could not be started')
    // The SQL tests of the whole ran on another one, and that is said.
    expect(failures[0]).toMatch(/^FAILED bash .*whole: postgres_15 could not be started/)
    expect(ending).toEqual(['4 passed, 3 failed', 'status 1'])
  })
})

describe.concurrent('a check that is ended', () => {
  /** Prints what vitest prints of a file of tests, and never ends; `ignores` also a signal. */
  const hanging = async (tests: string, ignores = '') => {
    const home = await mkdtemp(join(folder, 'hanging-'))
    await writeFile(join(home, 'one.test.ts'), tests)
    const vitest = join(root, 'node_modules/.bin/vitest')
    const argv = ['run', '--globals', '--root', home]
    const env = { ...process.env, CI: 'true' }
    const { stdout } = await run(vitest, argv, { env }).catch(
      (error: unknown) => error as { stdout: string },
    )
    await writeFile(join(home, 'log'), stdout)
    const program = `trap '' ${ignores}; cat ${home}/log; echo $$ >${home}/pid; exec sleep 1000`
    const isGone = async () => {
      const pid = Number(await readFile(join(home, 'pid'), 'utf8'))
      expect(commandLine(pid)).toBe('')
    }
    return { program, isGone }
  }
  const good = `test('one', () => {})\ntest('two', () => {})`
  const bad = `${good}\ntest('three', () => { throw new Error('wrong') })`

  test('is left out if nothing failed in it, and what passed is counted', async () => {
    const { program, isGone } = await hanging(good)
    const { ending } = await outcome({
      parts: { 'pgbouncer a': program, 'embedded b': passes },
      functions: late('end', 10),
    })
    const left_out = ['not run here: pgbouncer a', 'not run here: embedded b']
    expect(ending).toEqual([...left_out, '4 passed, 0 failed, 2 skipped', 'status 0'])
    await isGone()
  })

  test('has failed if a file in it failed', async () => {
    const { program, isGone } = await hanging(bad)
    const { ending, failures } = await outcome({
      parts: { 'pgbouncer a': program },
      functions: late('end', 10),
    })
    expect(failures).toEqual([expect.stringMatching(/^failed: .* one\.test\.ts \(3 tests/)])
    expect(ending).toEqual(['4 passed, 1 failed', 'status 1'])
    await isGone()
  })

  test('has failed if it is npm test', async () => {
    const { program, isGone } = await hanging(good, 'TERM')
    const { begun, ending, failures } = await outcome({
      whole: program,
      parts: { 'embedded a': passes },
      functions: 'audit_packages() { SECONDS=$((end_seconds - 10)); }',
    })
    expect(begun).toEqual(['whole'])
    expect(failures).toContainEqual(expect.stringMatching(/^FAILED .* was ended/))
    const left_out = 'not run here: embedded a'
    expect(ending).toEqual([left_out, '2 passed, 1 failed, 1 skipped', 'status 1'])
    await isGone()
  })
})
