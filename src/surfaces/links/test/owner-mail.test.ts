/** The owner of a host that was suspended gets one mail for it, over a real mail server. */
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { arrived, asked, inbox, prove } from '../../../../test/inbox.ts'
import { startProcess, type PlatformProcess } from '../../../../test/process.ts'
import type { Member } from '../../../../test/product-world.ts'
import { eventually, type Answer } from '../../../../test/world.ts'
import { rfc3339, sql } from '#dodeca/kernel'
import { drainQueue } from '../../../kernel/work/run-queue.ts'
import { recheckQueue } from '../domains/recheck-domains.ts'
import { newHost, openDomainWorld } from './domain-world.ts'

const world = await openDomainWorld()
const workers: PlatformProcess[] = []
afterAll(async () => {
  for (const one of workers) await one.kill()
  await world.close()
})
const { db, clock } = world.platform.kernel

/** Who hears events and sends mails. */
async function worker(): Promise<PlatformProcess> {
  const environment = { ...world.environment, KERNEL_SANDBOX: 'false', ROLES: 'worker' }
  const started = await startProcess(environment, 'product')
  workers.push(started)
  return started
}
const category = 'links.health'

let offset_seconds = 0
/** Moves the platform's day on and looks again. */
async function daysLater(many: number): Promise<void> {
  for (let day = 0; day < many; day++) {
    offset_seconds += 86_401
    await world.call('POST', '/dev/clock', { body: { offset_seconds } })
    await drainQueue(world.platform.kernel, recheckQueue(world.deps))
  }
}

/** With a token that has not expired meanwhile. */
async function withFreshToken(who: Member): Promise<Member> {
  const { body } = await world.login(who)
  return { ...who, token: body.access_token }
}

async function unproven(who: Member, claimed?: Answer): Promise<Answer> {
  const host = claimed ?? (await world.proven(who, newHost()))
  world.dns.lay(host.body.verification.record_name, [])
  return host
}

const Heard = Type.Object({ many: Type.Integer() })
const heard = (ids: readonly string[], many: number) =>
  eventually(`${many} suspensions were heard`, async () => {
    const found = await db.one(
      Heard,
      sql`
        select count(*)::int as many from kernel.events e
        join kernel.inbox_events i on i.event_id = e.id and i.consumer = 'links.owner_mail'
        where e.aggregate_id = any (${ids}::uuid[])`,
    )
    return found.many === many
  })

test('a suspended host causes one mail each time, and none to an owner without a verified address', async () => {
  const [who, stranger, leaver] = [await world.member(), await world.member(), await world.member()]
  for (const one of [who, leaver]) await prove(world, one)
  const claimed = await unproven(who)
  const others = [await unproven(stranger), await unproven(leaver)]
  const { id, hostname, verification } = claimed.body
  const erased = await world.call('DELETE', `/v1/accounts/${leaver.id}`, { token: leaver.token })
  expect(erased.status).toBe(204)
  // The first look that misses it is a day later by the platform's clock.
  const before = rfc3339(clock.nowMs() + 86_400_000)
  await daysLater(1)
  const after = rfc3339(clock.nowMs())
  await daysLater(1)
  expect(await asked(world, who)).toBe(0)
  await daysLater(1)
  const sending = await worker()
  const [mail] = await arrived(world, who, category)
  expect(mail?.subject).toBe(`Your host ${hostname} was suspended`)
  expect(mail?.text).toContain(verification.record_name)
  expect(mail?.text).not.toContain(verification.record_value)
  const since = /missing since (\S+),/.exec(mail?.text ?? '')?.[1] ?? ''
  expect(before <= since && since <= after, `${before} ${since} ${after}`).toBe(true)
  const ids = [id, ...others.map(({ body }) => body.id as string)]
  await heard(ids, 3)
  expect([await asked(world, stranger), await asked(world, leaver)]).toEqual([0, 0])
  await sending.kill()

  // What it says to ask for, once the record is back.
  world.lay(claimed)
  const [, way = ''] = /^POST (\S+\/verify)$/m.exec(mail?.text ?? '') ?? []
  const owner = await withFreshToken(who)
  const verified = await world.ask(owner, 'POST', new URL(way).pathname)
  expect([verified.status, verified.body.state]).toEqual([200, 'active'])
  await daysLater(1)
  expect(await asked(world, who)).toBe(1)

  await unproven(owner, claimed)
  await daysLater(3)
  const next = await worker()
  await arrived(world, who, category, 2)
  await heard(ids, 4)
  expect(await inbox(world, who, category)).toHaveLength(2)
  expect(await asked(world, who)).toBe(2)
  await next.kill()
})

test('a host that is back before the event is consumed causes no mail', async () => {
  const who = await world.member()
  await prove(world, who)
  const claimed = await unproven(who)
  await daysLater(3)
  world.lay(claimed)
  await daysLater(1)
  const sending = await worker()
  await heard([claimed.body.id], 1)
  expect(await asked(world, who)).toBe(0)
  await sending.kill()
})
