/**
 * `dodeca tenant move` is killed between its steps, as a terminal that closes kills it. The same command
 * again finishes the move, or `tenant release` undoes it; the tenant is never served by two cells.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { directClient } from '../../src/kernel/database/direct.ts'
import { sql } from '#dodeca/kernel'
import { inherited, programOf } from '../process.ts'
import { deleteTenant } from '../../src/runtime/tenants/delete.ts'
import { moveTenant } from '../../src/runtime/tenants/move.ts'
import type { Member } from '../product-world.ts'
import { eventually } from '../world.ts'
import { ask, openCells, type Cell } from './cells.ts'

let old: Cell
let fresh: Cell
beforeAll(async () => {
  ;[old, fresh] = await openCells()
})
afterAll(async () => {
  await Promise.all([old?.close(), fresh?.close()])
})

/** The command, as an operator types it beside the old cell. */
function dodeca(...words: readonly string[]) {
  const child = spawn(process.execPath, [programOf('src/cli.ts'), ...words], {
    env: { ...inherited, ...old.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const keep = (part: Buffer) => void (output += String(part))
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const ended = once(child, 'exit').then(([code]) => ({ code: code as number | null, output }))
  return { child, ended }
}

const moveOf = ({ tenant: { slug } }: Member) => [
  'tenant',
  'move',
  slug,
  `--to-database=${fresh.database_url}`,
  `--to-data-dir=${fresh.data_dir}`,
  `--to-cell=${fresh.url}`,
]

async function on(cell: Cell, statement: string): Promise<number> {
  const client = directClient(cell.database_url, 'test')
  await client.connect()
  try {
    return (await client.query(statement)).rowCount ?? 0
  } finally {
    await client.end()
  }
}

/** Kills the move when it reaches a statement: a trigger, which looks like one of a hold, makes that wait. */
async function killAt(who: Member, cell: Cell, table: string, event: string, when = 'true') {
  await on(
    cell,
    `create function public.waits() returns trigger language plpgsql as $$
     begin
       perform pg_sleep(120);
       return coalesce(new, old);
     end $$;
     create trigger hold_0_test before ${event} on ${table} for each row when (${when})
       execute function public.waits()`,
  )
  const { child, ended } = dodeca(...moveOf(who))
  const waiting = `select from pg_stat_activity
    where datname = current_database() and application_name = 'dodeca tenant'
      and wait_event = 'PgSleep'`
  await Promise.race([
    eventually('the move waits', async () => (await on(cell, waiting)) > 0),
    ended.then(({ output }) => {
      throw new Error(output)
    }),
  ])
  child.kill('SIGKILL')
  await ended
  const connections = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'dodeca tenant'`
  for (const one of [old, fresh]) await on(one, connections)
  await eventually('its statement has ended', async () => (await on(cell, waiting)) === 0)
  await on(cell, `drop trigger hold_0_test on ${table}; drop function public.waits()`)
}

const Row = Type.Object({ code: Type.String() })
const linksIn = ({ platform }: Cell, { tenant }: Member) =>
  platform.kernel.db.many(Row, sql`select code from links.links where tenant_id = ${tenant.id}`)

async function withLinks(): Promise<Member> {
  const who = await old.member()
  const body = { destination_url: 'https://www.example.com/' }
  for (let n = 0; n < 5; n++) await ask(old, who, 'POST', '/v1/links', body)
  return who
}

const written = (cell: Cell, who: Member) =>
  ask(cell, who, 'POST', '/v1/links', { destination_url: 'https://www.example.org/' })

async function finish(who: Member): Promise<void> {
  const { code, output } = await dodeca(...moveOf(who)).ended
  expect(code, output).toBe(0)
  expect(output).toContain(`is served by ${fresh.url} now`)
}

async function expectMoved(who: Member, links: number): Promise<void> {
  expect(await linksIn(fresh, who)).toHaveLength(links)
  expect(await linksIn(old, who)).toEqual([])
  const login = await fresh.login(who)
  expect(login.status, login.text).toBe(201)
  await written(fresh, { ...who, token: login.body.access_token as string })
}

test('a move that was killed while it copied can be undone, and made again', async () => {
  const who = await withLinks()
  await killAt(who, fresh, 'links.links', 'insert')
  expect(await linksIn(fresh, who)).toEqual([])
  const released = await dodeca('tenant', 'release', who.tenant.slug).ended
  expect(released.code, released.output).toBe(0)
  await written(old, who)
  await finish(who)
  await expectMoved(who, 6)
})

test('a move that was killed while it copied is finished by the same command', async () => {
  const who = await withLinks()
  await killAt(who, fresh, 'links.links', 'insert')
  await finish(who)
  await expectMoved(who, 5)
})

test('a tenant that is in both cells is not released, and the same command finishes', async () => {
  const who = await withLinks()
  await killAt(who, old, 'kernel.tenant_states', 'update', `new.state = 'moved'`)
  expect(await linksIn(fresh, who)).toHaveLength(5)
  const refused = await dodeca('tenant', 'release', who.tenant.slug).ended
  expect(refused.code).not.toBe(0)
  expect(refused.output).toContain('The other cell may have')
  const body = { destination_url: 'https://www.example.com/' }
  const answer = await old.call('POST', '/v1/links', { token: who.token, body })
  expect(answer.status).toBe(503)
  await finish(who)
  await expectMoved(who, 5)
})

test('a tenant comes back to a cell that has kept records of it', async () => {
  const who = await withLinks()
  // It is recorded as an administrative act, which no deletion removes.
  await ask(old, who, 'POST', '/v1/api-keys', { name: 'kept', permissions: ['links.links.read'] })
  await finish(who)
  const [from, to] = [fresh.place, old.place]
  const move = { from, to, cell_url: old.url, scratch: fresh.data_dir }
  await moveTenant(move, who.tenant.slug)
  expect(await linksIn(old, who)).toHaveLength(5)
  const login = await old.login(who)
  expect(login.status, login.text).toBe(201)
})

test('a move that was killed while it deleted is finished by the same command', async () => {
  const who = await withLinks()
  await killAt(who, old, 'links.links', 'delete')
  await finish(who)
  await expectMoved(who, 5)
})

test('a deletion that a long read has stopped at its end goes on when it is run again', async () => {
  const who = await withLinks()
  const { id, slug } = who.tenant
  await on(old, `update identity.tenants set state = 'disabled' where id = '${id}'`)
  const reader = directClient(old.database_url, 'test')
  await reader.connect()
  await reader.query('set idle_in_transaction_session_timeout = 0')
  await reader.query('begin; select from links.links limit 1')
  await expect(deleteTenant(old.place, slug)).rejects.toThrow('lock timeout')
  await reader.end()
  const receipt = await deleteTenant(old.place, slug)
  expect(receipt.rows).toMatchObject({ 'identity.tenants': 1 })
  const triggers = `select from pg_trigger where tgname like 'hold\\_%'`
  expect(await on(old, triggers)).toBe(0)
  const kept = `select from kernel.tenant_states where tenant_id = '${id}' and receipt is not null`
  expect(await on(old, kept)).toBe(1)
  await expect(deleteTenant(old.place, slug)).rejects.toThrow('it was deleted')
})
