/** Calls of one gateway, from a client process of their own, with the processor time of the gateway. */
import { fileURLToPath } from 'node:url'
import { ended, processorSeconds, startOn } from '../ground/machine.ts'
import type { Options } from '../ground/options.ts'
import type { Measure } from '../ground/rounds.ts'
import type { Called, Calls } from './caller-process.ts'
import type { Ask, Gateway } from './gateway.ts'

export async function measureCalls(
  gateway: Gateway,
  what: Ask & { readonly at_once: number; readonly first_token?: true },
  options: Options,
): Promise<Measure> {
  const calls: Calls = {
    origin: gateway.origin,
    path: gateway.path,
    headers: gateway.headers,
    body: gateway.body(what),
    at_once: what.at_once,
    warm_seconds: options.warm_seconds,
    seconds: options.seconds,
    first: what.first_token ? gateway.first : null,
  }
  const child = startOn({
    side: 'client',
    program: process.execPath,
    args: [fileURLToPath(new URL('./caller-process.ts', import.meta.url))],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  let before: Promise<number | null> | undefined
  let after: Promise<number | null> | undefined
  let found: Called | undefined
  child.on('message', (message: { at: string; called?: Called }) => {
    if (message.at === 'begin') before = processorSeconds(gateway.pid)
    if (message.at === 'end') after = processorSeconds(gateway.pid)
    found = message.called ?? found
  })
  child.send(calls)
  await ended(child)
  if (!found) throw new Error('the client ended without an answer')
  const [from, to] = [await before, await after]
  return {
    per_second: found.calls / found.seconds,
    p50_ms: found.p50_ms,
    p99_ms: found.p99_ms,
    cpu_us: from != null && to != null ? ((to - from) * 1e6) / found.calls : null,
    unexpected: found.unexpected,
  }
}
