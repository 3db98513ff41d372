/** A pool of child processes: what a task may use, and which process the next task gets. */
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { newId } from '../../ids.ts'
import { openChildPool } from '../child-pool.ts'

type Reply = { readonly pid: number; readonly secret?: string | null }

const pool = openChildPool<{ act: string }, Reply>({
  program: fileURLToPath(new URL('./task.child.ts', import.meta.url)),
  priority: 'low',
  heap_share: 0.5,
  places: 1,
  tasks_max: 3,
})
afterAll(() => pool.close())

const bounds = { seconds: 100, memory_bytes: 1024 ** 3 }
const owner = { tenant_id: newId() }
const run = (act: string, more: object = {}) => pool.run({ act }, { ...bounds, ...more }, owner)

test('a process does several tasks, and is replaced after the last of them', async () => {
  const pids: number[] = []
  for (let task = 0; task < 4; task++) pids.push((await run('reply')).pid)
  expect(new Set(pids.slice(0, 3)).size).toBe(1)
  expect(pids[3]).not.toBe(pids[0])
})

test('a process ends after a task that failed, and after one that says so', async () => {
  const { pid } = await run('fail')
  const alone = await run('reply', { disposable: true })
  const next = await run('reply')
  expect(new Set([pid, alone.pid, next.pid]).size).toBe(3)
})

test('a process gets no variable of the platform', async () => {
  process.env['A_SECRET'] = 'x'
  expect(await run('reply', { disposable: true })).toMatchObject({ secret: null })
  delete process.env['A_SECRET']
})

test.each([
  ['hang', { seconds: 0.3 }, 'timeout'],
  ['grow', { memory_bytes: 256 * 1024 ** 2 }, 'ended'],
  ['exit', {}, 'ended'],
])('a task that does not reply ends its process: %s', async (act, more, code) => {
  await expect(run(act, more)).rejects.toMatchObject({ name: 'ChildFailed', code })
  expect((await run('reply')).pid).toBeGreaterThan(0)
})

test('a task ends with the signal of its owner, also while it waits for a place', async () => {
  const [running, waiting] = [new AbortController(), new AbortController()]
  const first = pool.run({ act: 'hang' }, bounds, { ...owner, signal: running.signal })
  const second = pool.run({ act: 'reply' }, bounds, { ...owner, signal: waiting.signal })
  waiting.abort(new Error('not needed'))
  await expect(second).rejects.toThrow('not needed')
  running.abort(new Error('too late'))
  await expect(first).rejects.toThrow('too late')
  expect((await run('reply')).pid).toBeGreaterThan(0)
})
