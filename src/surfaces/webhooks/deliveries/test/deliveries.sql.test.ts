/** What was sent can be looked into: lists with filters and pages, one with all that was tried. */
import { createHash } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../../../test/world.ts'
import { newId } from '#dodeca/kernel'
import { at, openGround } from '../../test/ground.ts'
import { fine, openReceiver, status } from '../../test/receiver.ts'

const path = '/v1/webhook-deliveries'
const receiver = await openReceiver()
receiver.answer((response, one) =>
  one.path === '/bad' || (one.path === '/shaky' && one.attempt === 1)
    ? status(one.path === '/bad' ? 400 : 503)(response, one)
    : fine(response, one),
)
const ground = await openGround({ WEBHOOKS_RETRY_SCHEDULE: '0,1,1' })
afterAll(async () => {
  await ground.close()
  await receiver.close()
})

const event_filter = { types: ['account.verified'] }

async function sent(where: string, many: number, state = 'delivered') {
  const owner = await ground.owner()
  const made = await ground.subscribe(owner, at(receiver, where), { event_filter })
  const event_ids = await ground.emit(owner, many)
  await eventually('all have ended', async () => (await ground.states(made.id))[state] === many)
  const list = async (query = '') => (await ground.call('GET', `${path}${query}`, owner)).body
  return { owner, made, event_ids, list }
}

describe.concurrent('deliveries', () => {
  test('are listed newest first, page by page, each once', async () => {
    const { owner, made, list } = await sent('/paged', 7)
    const expected = (await ground.deliveries(made.id)).map(one => one.id)
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page: { data: { id: string }[]; next_cursor: string | null } = await list(
        `?limit=3&subscription_id=${made.id}${cursor ? `&cursor=${cursor}` : ''}`,
      )
      seen.push(...page.data.map(one => one.id))
      cursor = page.next_cursor
    } while (cursor)
    expect(seen).toEqual(expected.sort().reverse())
    const { next_cursor } = await list('?limit=3')
    const borrowed = await ground.call(
      'GET',
      `${path}?state=delivered&limit=3&cursor=${next_cursor}`,
      owner,
    )
    expect([borrowed.status, borrowed.body.code]).toEqual([400, 'invalid_cursor'])
  })

  test('are found by each filter', async () => {
    const { owner, made, event_ids, list } = await sent('/filtered', 2)
    const bad = await ground.subscribe(owner, at(receiver, '/bad'), { event_filter })
    const [last = ''] = await ground.emit(owner)
    await eventually('it is refused', async () => {
      const states = [await ground.states(bad.id), await ground.states(made.id)]
      return states[0]?.['permanent_failure'] === 1 && states[1]?.['delivered'] === 3
    })
    const many = async (query: string) => (await list(`?${query}`)).data.length
    expect(await many('')).toBe(4)
    expect(await many(`subscription_id=${bad.id}`)).toBe(1)
    expect(await many(`subscription_id=${newId()}`)).toBe(0)
    expect(await many('state=permanent_failure')).toBe(1)
    expect(await many(`event_id=${last}`)).toBe(2)
    expect(await many(`event_id=${event_ids[0]}`)).toBe(1)
    expect(await many('type=account.verified')).toBe(4)
    expect(await many('type=role.assigned')).toBe(0)
    expect(await many('since=2020-01-01T00:00:00Z')).toBe(4)
    expect(await many('until=2020-01-01T00:00:00Z')).toBe(0)
    expect(await many('since=1969-12-31T23:59:59Z')).toBe(4)
    expect(await many('until=1969-12-31T23:59:59Z')).toBe(0)
    expect(await many('since=0001-01-01T00:00:00Z&until=9999-12-31T00:00:00Z')).toBe(4)
    expect((await ground.call('GET', `${path}?state=lost`, owner)).status).toBe(422)
  })

  test('one tells all that was tried, and never its lease', async () => {
    const { owner, made, event_ids, list } = await sent('/shaky', 1)
    const [listed] = (await list()).data
    const answer = await ground.call('GET', `${path}/${listed.id}`, owner)
    const { attempts, replays, body_sha256, ...rest } = answer.body
    expect(rest).toEqual(listed)
    expect(rest).toMatchObject({
      event_id: event_ids[0],
      subscription_id: made.id,
      state: 'delivered',
      attempt_count: 2,
      next_attempt_at: null,
      last_http_status: 204,
      last_error_code: null,
      event_type: 'account.verified',
    })
    expect(attempts).toMatchObject([
      {
        attempt_no: 1,
        delivery_id: listed.id,
        http_status: 503,
        error_code: 'http_5xx',
        response_excerpt: 'status 503',
        remote_ip: '127.0.0.1',
        secret_version: 1,
        replay_id: null,
      },
      { attempt_no: 2, http_status: 204, error_code: null },
    ])
    expect(attempts[0].timings).toHaveProperty('first_byte_ms')
    expect(replays).toEqual([])
    const message = receiver.received.find(one => one.id === event_ids[0])
    expect(body_sha256).toBe(
      createHash('sha256')
        .update(message?.body ?? '')
        .digest('hex'),
    )
    expect(answer.text).not.toContain('lease')
  })

  test('of another tenant, and without permission, are not to be seen', async () => {
    const { owner, list } = await sent('/private', 1)
    const [{ id }] = (await list()).data
    const other = await ground.owner()
    for (const unknown of [`${path}/${id}`, `${path}/${newId()}`]) {
      const answer = await ground.call('GET', unknown, other)
      expect([answer.status, answer.body.code]).toEqual([404, 'delivery_not_found'])
    }
    expect((await ground.call('GET', path, other)).body.data).toEqual([])
    const unprivileged = await ground.member(owner.tenant)
    for (const where of [path, `${path}/${id}`]) {
      const answer = await ground.call('GET', where, unprivileged)
      expect([answer.status, answer.body.code]).toEqual([403, 'permission_denied'])
    }
  })
})
