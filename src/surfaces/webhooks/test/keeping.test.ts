/** Weeks of deliveries come and go beside running senders, and what waits is never dropped. */
import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { resealColumn } from '../../../kernel/work/reseal.ts'
import { openSecrets } from '../sealed-secrets.ts'
import { readSecrets } from '../sending/live-secrets.ts'
import { at, openGround } from './ground.ts'
import { openReceiver } from './receiver.ts'
import { settings } from '../settings.ts'

const receiver = await openReceiver()
const ground = await openGround()
afterAll(async () => {
  await ground.close()
  await receiver.close()
})
const { db } = ground.platform.kernel
const Count = Type.Object({ count: Type.Integer() })

const weeks = async () => {
  const { count } = await db.one(
    Count,
    sql`
      select count(*)::int as count from pg_inherits
      where inhparent = 'webhooks.deliveries'::regclass`,
  )
  return count
}

test('weeks are made ahead while everything runs, and made once', async () => {
  // The database may have been made in the week before this one.
  const prepare = (days: number) =>
    db.run(sql`
      select webhooks.prepare_weeks('deliveries', now() + make_interval(days => ${days}::int))`)
  const drop = () => db.run(sql`select webhooks.drop_weeks('deliveries', interval '0')`)
  await prepare(35)
  await drop()
  const before = await weeks()
  for (let again = 0; again < 2; again++) {
    await prepare(63)
    expect(await weeks()).toBe(before + 4)
  }
  const owner = await ground.owner()
  const made = await ground.subscribe(owner, at(receiver), {
    event_filter: { types: ['account.verified'] },
  })
  await ground.emit(owner)
  await eventually('it is delivered', async () => (await ground.states(made.id))['delivered'] === 1)
  // Nothing is over, so nothing goes, however short the retention.
  await drop()
  expect(await weeks()).toBe(before + 4)
})

test('what a deleted subscription had waiting is cancelled', async () => {
  const owner = await ground.owner()
  const made = await ground.subscribe(owner, at(receiver, '/deleted'), {
    event_filter: { types: ['account.verified'] },
  })
  const path = `/v1/webhook-subscriptions/${made.id}`
  await ground.call('PATCH', path, { token: owner.token, body: { state: 'paused' } })
  await ground.emit(owner, 3)
  await eventually('they wait', async () => (await ground.states(made.id))['pending'] === 3)
  for (let again = 0; again < 2; again++) {
    expect((await ground.call('DELETE', path, owner)).status).toBe(204)
  }
  expect((await ground.call('GET', path, owner)).status).toBe(404)
  await eventually('they are cancelled', async () => {
    return (await ground.states(made.id))['cancelled'] === 3
  })
  expect(receiver.of('/deleted')).toEqual([])
})

test('after a change of the keyring every valid secret is sealed again, and opens without the old key', async () => {
  const key = () => randomBytes(32).toString('base64')
  const [old, next] = [`old:${key()}`, `new:${key()}`]
  const keyed = await openGround({ WEBHOOKS_KEYRING: old })
  const owner = await keyed.owner()
  const made = await keyed.subscribe(owner, at(receiver, '/sealed'))
  const path = `/v1/webhook-subscriptions/${made.id}`
  const rotated = await keyed.call('POST', `${path}/rotate-secret`, { token: owner.token })
  const kernel = keyed.platform.kernelFor({ settings })
  const ringed = (keyring: string) =>
    openSecrets({
      keys: kernel.keys,
      settings: { ...kernel.settings, 'webhooks.keyring': keyring },
    })
  for (const column of ringed(`${next},${old}`).sealed) await resealColumn(kernel, column)
  const opened = await readSecrets(kernel.db, { kernel, secrets: ringed(next) }, [made.id])
  const bytes = (opened.get(made.id) ?? []).map(one => one.key.export().toString('base64'))
  expect(bytes.map(one => `whsec_${one}`)).toEqual([rotated.body.secret, made.secret])
  await keyed.close()
})

test('a secret that cannot be opened delays only its own subscription, which gets nothing unsigned', async () => {
  const owner = await ground.owner()
  const types = { event_filter: { types: ['account.verified'] } }
  const broken = await ground.subscribe(owner, at(receiver, '/broken'), types)
  const whole = await ground.subscribe(owner, at(receiver, '/whole'), types)
  await db.run(sql`
    -- any tenant: the test made it
    update webhooks.subscriptions
    set secret_ciphertext = set_byte(secret_ciphertext, 60, get_byte(secret_ciphertext, 60) # 1),
      version = version + 1
    where id = ${broken.id}`)
  await ground.emit(owner)
  const delivered = async () => (await ground.states(whole.id))['delivered']
  await eventually('the other one is delivered', async () => (await delivered()) === 1)
  expect(await ground.states(broken.id)).toEqual({ pending: 1 })
  expect(receiver.of('/broken')).toEqual([])
  await ground.call('DELETE', `/v1/webhook-subscriptions/${broken.id}`, owner)
})

test('a wide fan-out that nothing was woken for is finished', async () => {
  const owner = await ground.owner()
  // Its event is no longer in the log, so that it only has to end.
  await db.run(sql`
    insert into webhooks.fanouts (tenant_id, position, event_id)
    values (${owner.tenant.id}, 9000000000000, gen_random_uuid())`)
  const left = async () =>
    (
      await db.one(
        Count,
        sql`
          select count(*)::int as count from webhooks.fanouts where tenant_id = ${owner.tenant.id}`,
      )
    ).count
  // Sooner than the next poll of the loop itself.
  await eventually('it ends', async () => (await left()) === 0)
  expect(await left()).toBe(0)
})
