/**
 * What another surface has to tell the owner of something: one mail a commit, to a proven address of
 * somebody who is there, in words that cannot become a header; and sent also by whoever comes after a crash.
 */
import fc from 'fast-check'
import { Type } from 'typebox'
import { afterAll, describe, expect, test } from 'vitest'
import { arrived, inbox, prove } from '../../../../test/inbox.ts'
import { startProcess, type PlatformProcess } from '../../../../test/process.ts'
import { openProductWorld, type Member } from '../../../../test/product-world.ts'
import { eventually } from '../../../../test/world.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Notice } from '../face.ts'

// Requests are answered here; mails are sent by processes that may be killed.
const world = await openProductWorld({
  KERNEL_SANDBOX: 'true',
  ROLES: 'api',
  IDENTITY_ADMIN_REQUIRES_MFA: 'false',
})
const workers: PlatformProcess[] = []
afterAll(async () => {
  for (const one of workers) await one.kill()
  await world.close()
})
const { db } = world.platform.kernel
async function worker(): Promise<PlatformProcess> {
  const environment = { ...world.environment, KERNEL_SANDBOX: 'false', ROLES: 'worker' }
  const started = await startProcess(environment, 'product')
  workers.push(started)
  return started
}

const notice: Notice = {
  category: 'test.things',
  subject: 'Your thing is “gone”',
  says: ['It was here.\nNow it is not.', 'Make another.'],
}

async function proven(): Promise<Member> {
  const member = await world.member()
  await prove(world, member)
  return member
}

const tell = ({ id, tenant }: Pick<Member, 'id' | 'tenant'>, told = notice) =>
  db.tx(tx => world.identity.tellAccount(tx, { tenant_id: tenant.id, principal_id: id }, told))

const Mail = Type.Object({ id: Type.String(), address: Type.String(), state: Type.String() })
const noticesOf = ({ tenant }: Pick<Member, 'tenant'>) =>
  db.many(
    Mail,
    sql`
      select id, address, state from identity.mails
      where tenant_id = ${tenant.id} and template = 'notice' order by id`,
  )

describe('a notice', () => {
  test('goes to the proven address in its own words, once, and under its category', async () => {
    const member = await proven()
    await tell(member)
    const sending = await worker()
    const [received] = await arrived(world, member, notice.category)
    expect(received?.subject).toBe(notice.subject)
    expect(received?.text.trim()).toBe(notice.says.join('\n\n'))
    await eventually('it is marked', async () => (await noticesOf(member))[0]?.state === 'sent')
    await sending.kill()
    expect(await inbox(world, member, notice.category)).toHaveLength(1)
    expect(await noticesOf(member)).toHaveLength(1)
  }, 60_000)

  test('is sent after all when its sender was killed in the middle of it', async () => {
    const member = await proven()
    // The mail that asks for the proof would be in the way.
    await db.run(sql`
      update identity.mails set state = 'dropped' where tenant_id = ${member.tenant.id}`)
    const stuck = { channel: 'email', mode: 'slow', to: member.email, delay_ms: 20_000 }
    expect((await world.call('POST', '/dev/inbox/faults', { body: stuck })).status).toBe(201)
    const victim = await worker()
    await tell(member)
    await eventually('the server has the message, and does not answer', async () => {
      const { body } = await world.call('GET', '/dev/inbox/faults')
      return body.data.length === 0
    })
    await victim.kill()
    const [left] = await noticesOf(member)
    expect(left?.state).toBe('requested')
    // The claim of the dead one is over.
    await db.run(sql`update identity.mails set due_at = now() where id = ${left?.id}`)
    const heir = await worker()
    await eventually('it is sent', async () => (await noticesOf(member))[0]?.state === 'sent')
    const copies = await inbox(world, member, notice.category)
    expect(new Set(copies.map(one => one.ref))).toEqual(new Set([left?.id]))
    await heir.kill()
  }, 90_000)

  test('of somebody who acted by an API key goes to the person who made it', async () => {
    const member = await proven()
    await world.give(member, 'auditor')
    const body = { name: 'worker', permissions: ['identity.accounts.read'] }
    const key = await world.call('POST', '/v1/api-keys', { token: member.token, body })
    expect(key.status, key.text).toBe(201)
    await tell({ id: key.body.id, tenant: member.tenant })
    expect(await noticesOf(member)).toMatchObject([{ address: member.email }])
  })

  test('is not there when the commit of which it speaks is not', async () => {
    const member = await proven()
    const to = { tenant_id: member.tenant.id, principal_id: member.id }
    const broken = db.tx(async tx => {
      await world.identity.tellAccount(tx, to, notice)
      throw new Error('it did not happen')
    })
    await expect(broken).rejects.toThrow('it did not happen')
    expect(await noticesOf(member)).toEqual([])
  })
})

describe('nobody is told', () => {
  test('without a proof of the address', async () => {
    const member = await world.member()
    await tell(member)
    expect(await noticesOf(member)).toEqual([])
  })

  test.each(['disabled', 'deleted'])('when they are %s', async status => {
    const member = await proven()
    await db.run(sql`update identity.accounts set status = ${status} where id = ${member.id}`)
    await tell(member)
    expect(await noticesOf(member)).toEqual([])
  })

  test('of another tenant, or that there is not', async () => {
    const [member, other] = [await proven(), await proven()]
    await tell({ id: member.id, tenant: other.tenant })
    await tell({ id: newId(), tenant: member.tenant })
    expect([...(await noticesOf(member)), ...(await noticesOf(other))]).toEqual([])
  })

  test('who is erased at the same time', async () => {
    const member = await proven()
    const { promise: held, resolve: go } = Promise.withResolvers<null>()
    const asked = Promise.withResolvers<null>()
    const to = { tenant_id: member.tenant.id, principal_id: member.id }
    const telling = db.tx(async tx => {
      await world.identity.tellAccount(tx, to, notice)
      asked.resolve(null)
      await held
    })
    await asked.promise
    const erasing = world.call('DELETE', `/v1/accounts/${member.id}`, { token: member.token })
    const Waiting = Type.Object({ waits: Type.Boolean() })
    await eventually('the erasure waits', async () => {
      const { waits } = await db.one(
        Waiting,
        sql`
          select exists (select from pg_stat_activity where datname = current_database()
            and wait_event_type = 'Lock' and query like '%identity.accounts%') as waits`,
      )
      return waits
    }).finally(() => go(null))
    await telling
    expect((await erasing).status).toBe(204)
    expect(await noticesOf(member)).toEqual([])
  })
})

describe('the words of a notice', () => {
  const enders = ['\r', '\n', '\r\n', '\u2028', '\u2029', '\u0085', '\0', '\t', '\u007f']

  test('put nothing into the head of a mail', async () => {
    const member = await proven()
    const text = fc.string({ maxLength: 40, unit: 'grapheme' })
    await fc.assert(
      fc.asyncProperty(text, fc.constantFrom(...enders), text, async (before, ender, after) => {
        const subject = `${before}${ender}${after}`
        await expect(tell(member, { ...notice, subject })).rejects.toThrow('not one line')
        const category = `a.b${ender}`
        await expect(tell(member, { ...notice, category })).rejects.toThrow('category')
      }),
      { numRuns: 50 },
    )
    expect(await noticesOf(member)).toEqual([])
  })

  test('have bounds', async () => {
    const member = await proven()
    const unfit: Partial<Notice>[] = [
      { subject: '' },
      { subject: 'x'.repeat(301) },
      { says: [] },
      { says: ['x'.repeat(2001)] },
      { says: ['a\rb'] },
      { says: Array.from({ length: 21 }, () => 'x') },
    ]
    for (const more of unfit) await expect(tell(member, { ...notice, ...more })).rejects.toThrow()
    expect(await noticesOf(member)).toEqual([])
  })

  test('could not be stored with a line end, whoever wrote them', async () => {
    const { tenant } = await proven()
    const stored = db.run(sql`
      insert into identity.mails (tenant_id, id, template, address, category, subject, says)
      values (${tenant.id}, ${newId()}, 'notice', 'a@example.test', 'a.b', ${'a\r\nBcc: b'}, '{x}')`)
    await expect(stored).rejects.toThrow('mails_subject_check')
  })
})
