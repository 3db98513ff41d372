/** What a test does on a surface while something fails, and how it finds out what became of it. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Member, People } from '../product-world.ts'
import type { Receiver } from '../../src/surfaces/webhooks/test/receiver.ts'
import { newKey, type Answer } from '../world.ts'
import type { Effects } from './effects.ts'
import type { Services } from './engines.ts'

/** Repeats a request, under the same key, until it is decided. */
export type Insist = (
  who: Pick<Member, 'token'>,
  method: string,
  /** A path of the platform, or an address that it gave. */
  at: string,
  body?: unknown,
) => Promise<Answer & { readonly attempts: number }>

export type Operation = {
  readonly surface: string
  /** Returns the id of what was acknowledged. */
  make(insist: Insist): Promise<string>
  readonly effects: Effects
}

/** A platform, the payment provider that it uses, and a receiver of webhooks that it reaches. */
export type Operated = People &
  Pick<Services, 'control'> & { readonly receiver: Receiver; readonly receiver_host: string }

export type Prepare = (world: Operated) => Promise<Operation>

export async function owner(world: Operated): Promise<Member> {
  const who = await world.member()
  await world.give(who, 'tenant_admin')
  await world.allow(who, 'jobs.jobs.submit:*')
  return who
}

/** As `owner`, in preparation, when nothing fails. */
export async function ask(
  world: Operated,
  who: Member,
  method: string,
  path: string,
  body?: object,
) {
  const key = method === 'POST' ? { key: newKey() } : {}
  const answer = await world.call(method, path, { token: who.token, ...key, body })
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`)
  return answer.body
}

/** Reads a resource until what was asked for has happened: the reply to a request may come before. */
export async function reads(
  insist: Insist,
  who: Member,
  path: string,
  happened: (body: Answer['body']) => boolean,
): Promise<void> {
  const deadline = performance.now() + 180_000
  for (;;) {
    const { body, text } = await insist(who, 'GET', path)
    if (happened(body)) return
    if (performance.now() > deadline) throw new Error(`${path}: ${text}`)
    await wait(200)
  }
}
