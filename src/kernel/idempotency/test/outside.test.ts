/**
 * An effect outside happens once, whatever fails between intent, call and outcome, and its outcome
 * is reported truthfully.
 */
import pg from 'pg'
import { storedKey } from '../records.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProcess } from '../../../../test/process.ts'
import {
  call,
  eventually,
  newKey,
  openWorld,
  type Person,
  type World,
} from '../../../../test/world.ts'

let world: World
let admin: pg.Client
let person: Person
beforeAll(async () => {
  world = await openWorld()
  admin = new pg.Client({ connectionString: world.database_url })
  await admin.connect()
  person = world.person()
})
afterAll(async () => {
  await admin.end()
  await world.close()
})

const send = (text: string, key: string, url = world.url) =>
  call(url, 'POST', '/v1/relay/messages', { token: person.token, key, body: { text } })

function effects(text: string): number {
  return world.vendor.effects.filter(one => one.text === text).length
}

describe('an operation outside', () => {
  test('has one effect and one recorded outcome', async () => {
    const key = newKey()
    const first = await send('hello', key)
    expect([first.status, first.body.state]).toEqual([201, 'sent'])
    const again = await send('hello', key)
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([
      201,
      first.text,
      'true',
    ])
    expect(effects('hello')).toBe(1)
    expect((await send('other', key)).body.code).toBe('idempotency_key_reused')
  })

  test('answers pending where the outcome is unknown, and keeps that answer', async () => {
    world.vendor.trouble.push('drop_after')
    const key = newKey()
    const first = await send('lost answer', key)
    expect([first.status, first.body.state]).toEqual([202, 'pending'])
    expect((await send('lost answer', key)).text).toBe(first.text)
    expect(effects('lost answer')).toBe(1)
  })

  test('returns 503 without details if the provider is busy, and a retry continues under the same id', async () => {
    world.vendor.trouble.push('busy')
    const key = newKey()
    const busy = await send('busy', key)
    expect([busy.status, busy.body.code]).toEqual([503, 'service_unavailable'])
    expect(busy.body.detail).toMatch(/is not available at the moment\. Send the request again/)
    const again = await send('busy', key)
    expect([again.status, again.body.state]).toEqual([201, 'sent'])
    expect(effects('busy')).toBe(1)
    const { rows } = await admin.query(
      `select count(*)::int as n from relay.messages where text = 'busy'`,
    )
    expect(rows[0].n).toBe(1)
  })

  test('whose caller leaves while it begins is stopped', async () => {
    await admin.query('begin')
    await admin.query('lock table relay.messages in share row exclusive mode')
    const leave = new AbortController()
    const asked = call(world.url, 'POST', '/v1/relay/sayings', {
      token: person.token,
      body: { text: 'for ever, but not for me' },
      signal: leave.signal,
    }).catch(() => null)
    await eventually('it waits for the table', async () => {
      const { rows } = await admin.query(`
        select 1 from pg_locks where not granted and relation = 'relay.messages'::regclass`)
      return rows.length > 0
    })
    leave.abort()
    expect(await asked).toBeNull()
    await admin.query('commit')
    await eventually('it is stopped', async () => {
      const { rows } = await admin.query(
        `select state from relay.messages where text = 'for ever, but not for me'`,
      )
      return rows[0]?.state === 'refused'
    })
  })

  test('that needs no call ends in the commit that begins it, and is replayed', async () => {
    const key = newKey()
    const first = await send('to self: remember', key)
    expect([first.status, first.body.state]).toEqual([201, 'sent'])
    const again = await send('to self: remember', key)
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
    expect(effects('to self: remember')).toBe(0)
    const { rows } = await admin.query(
      `select count(*)::int as n from relay.messages where text = 'to self: remember'`,
    )
    expect(rows[0].n).toBe(1)
  })

  test('commits a refusal together with what it changed, and replays it', async () => {
    const key = newKey()
    const refused = await send('forbidden', key)
    expect([refused.status, refused.body.code]).toEqual([409, 'message_refused'])
    const again = await send('forbidden', key)
    expect(again.body).toEqual({ ...refused.body, request_id: again.headers.get('x-request-id') })
    const { rows } = await admin.query(`select state from relay.messages where text = 'forbidden'`)
    expect(rows).toEqual([{ state: 'refused' }])
  })

  test('a failing last step changes nothing, and the retry asks before it sends', async () => {
    const key = newKey()
    await world.call('POST', '/dev/faults', {
      body: { point: 'kernel.after_call', action: 'throw', times: 1 },
    })
    expect((await send('third step', key)).status).toBe(500)
    const { rows } = await admin.query(`select state from relay.messages where text = 'third step'`)
    expect(rows).toEqual([{ state: 'pending' }])
    const again = await send('third step', key)
    expect([again.status, again.body.state]).toEqual([201, 'sent'])
    expect(effects('third step')).toBe(1)
  })

  test('20 at once: one call, the others replay or get 409', async () => {
    const key = newKey()
    const answers = await Promise.all(Array.from({ length: 20 }, () => send('crowd', key)))
    expect(new Set(answers.map(answer => answer.status))).toEqual(new Set([201]))
    expect(effects('crowd')).toBe(1)
  })

  test.each(['kernel.after_operation', 'kernel.after_call', 'kernel.after_commit'])(
    'killed at %s: a retry in another process completes it, once',
    async point => {
      const text = `killed at ${point}`
      const key = newKey()
      const victim = await startProcess({ ...world.environment, KERNEL_FAULTS: `${point}=kill@1` })
      await expect(send(text, key, victim.url)).rejects.toThrow()
      expect((await victim.gone).signal).toBe('SIGKILL')
      // The lease of the dead process is over at once, so that the test need not wait for it.
      await admin.query(
        `update kernel.idempotency_records set leased_until = now() - interval '1 s' where key = $1`,
        [storedKey(key)],
      )
      const again = await send(text, key)
      expect([again.status, again.body.state]).toEqual([201, 'sent'])
      expect(effects(text)).toBe(1)
    },
  )

  test('a live lease is respected: 409 until it ends', async () => {
    const other = await startProcess({ ...world.environment, KERNEL_IDEMPOTENCY_WAIT_MS: '200' })
    world.vendor.trouble.push('hang')
    const key = newKey()
    const arrived = world.vendor.arrived()
    const slow = send('slow', key)
    await arrived
    await admin.query(
      `update kernel.idempotency_records set leased_until = now() + interval '1 h' where key = $1`,
      [storedKey(key)],
    )
    const refused = await send('slow', key, other.url)
    expect([refused.status, refused.body.code]).toEqual([409, 'idempotency_in_progress'])
    expect((await slow).status).toBe(202)
    await other.kill()
    expect(effects('slow')).toBe(1)
  })
})

describe('a stream under a key', () => {
  const open = (key: string, text: string, url = world.url, signal?: AbortSignal) =>
    call(url, 'POST', '/v1/relay/kept-words:stream', {
      token: person.token,
      key,
      body: { text },
      ...(signal ? { signal } : {}),
    })

  test('is sent again from storage', async () => {
    const key = newKey()
    const first = await open(key, 'one two three')
    expect(first.text.match(/event: word/g)?.length).toBe(3)
    expect(first.text).toContain('event: completed')
    const again = await open(key, 'one two three')
    expect(again.text.match(/event: word/g)?.length).toBe(1)
    expect(again.text).toContain('one two three')
    expect((await open(key, 'other')).body.code).toBe('idempotency_key_reused')
  })

  test('while it runs, a retry gets the address of its state', async () => {
    const key = newKey()
    const running = open(key, Array.from({ length: 40 }, (_, i) => `w${i}`).join(' '))
    await eventually('the record', async () => {
      const { rows } = await admin.query('select from kernel.idempotency_records where key = $1', [
        storedKey(key),
      ])
      return rows.length === 1
    })
    const refused = await open(key, Array.from({ length: 40 }, (_, i) => `w${i}`).join(' '))
    expect([refused.status, refused.body.code]).toEqual([409, 'idempotency_in_progress'])
    expect(refused.headers.get('location')).toMatch(/^\/v1\/relay\/messages\//)
    expect((await running).text).toContain('event: completed')
  })

  test('one that its reader left can be taken up again', async () => {
    const key = newKey()
    const text = Array.from({ length: 100 }, (_, i) => `w${i}`).join(' ')
    const leaving = new AbortController()
    const left = open(key, text, world.url, leaving.signal)
    await eventually('the record', async () => {
      const { rows } = await admin.query('select from kernel.idempotency_records where key = $1', [
        storedKey(key),
      ])
      return rows.length === 1
    })
    leaving.abort()
    await expect(left).rejects.toThrow()
    await eventually('the lease was given back', async () => {
      const { rows } = await admin.query(
        'select from kernel.idempotency_records where key = $1 and leased_until <= now()',
        [storedKey(key)],
      )
      return rows.length === 1
    })
    expect((await open(key, text)).text).toContain('event: completed')
  })
})
