/** What the audit log can be asked, within one tenant. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type Person, type World } from '../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const path = '/v1/audit-events'

async function auditor(): Promise<Person> {
  const person = world.person()
  await world.grant(person, 'kernel.audit_events.read')
  return person
}

/** Acts of one request, the last one a day old. */
async function act({ principal }: Person): Promise<{ ids: string[]; request_id: string }> {
  const request_id = newId()
  const ids = [newId(), newId(), newId()]
  await world.platform.kernel.db.run(sql`
    insert into kernel.audit_events
      (id, tenant_id, actor, action, target, outcome, request_id, occurred_at)
    select a.id, ${principal.tenant_id}, ${principal.id}, 'deals.deals.' || a.n,
      '=deal:' || a.n || case a.n when 3 then '/part' else '' end,
      'done', ${request_id}, kernel.now() - case a.n when 3 then interval '1 day' else '0' end
    from unnest(${ids}::uuid[]) with ordinality a (id, n)`)
  return { ids: ids.toReversed(), request_id }
}

const ask = ({ token }: Person, query: string, headers = {}) =>
  world.call('GET', `${path}?${query}`, { token, headers })

async function found(person: Person, query: string): Promise<string[]> {
  const { status, body } = await ask(person, query)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data.map((one: { id: string }) => one.id)
}

test('acts are found by what, whose, about what, of which request, and when', async () => {
  const [person, other] = [await auditor(), await auditor()]
  const { ids, request_id } = await act(person)
  const [third, second, first] = ids
  const foreign = await act(other)
  expect(await found(person, '')).toEqual(ids)
  expect(await found(person, 'action=deals.deals.2')).toEqual([second])
  expect(await found(person, 'target=%3Ddeal:1')).toEqual([first])
  expect(await found(person, 'target=1')).toEqual([first])
  expect(await found(person, 'target=%3Ddeal:3')).toEqual([third])
  expect(await found(person, 'target=deal:3')).toEqual([])
  expect(await found(person, `actor=${person.principal.id}&limit=2`)).toEqual([third, second])
  expect(await found(person, `actor=${other.principal.id}`)).toEqual([])
  expect(await found(person, `request_id=${request_id}`)).toEqual(ids)
  expect(await found(person, `request_id=${foreign.request_id}`)).toEqual([])
  expect(await found(person, `request_id=ffffffff-ffff-4fff-bfff-ffffffffffff`)).toEqual([])
  expect(await found(person, `find=${second}`)).toEqual([second])
  expect(await found(person, `find=${foreign.ids[0]}`)).toEqual([])
  const hour_ago = new Date(world.platform.kernel.clock.nowMs() - 3_600_000).toISOString()
  expect(await found(person, `until=${hour_ago}`)).toEqual([third])
  expect(await found(person, `since=${hour_ago}`)).toEqual([second, first])
})

test('an export of the audit log is an act itself, and needs the permission', async () => {
  const person = await auditor()
  await act(person)
  const accept = { accept: 'text/csv' }
  const { status, text } = await ask(person, 'action=deals.deals.2', accept)
  expect(status, text).toBe(200)
  const [header, line, end] = text.replace('\u{feff}', '').split('\r\n')
  expect(header).toBe(
    'id,tenant_id,actor,action,target,outcome,request_id,reason,diff_hash,occurred_at',
  )
  expect(line).toContain(`,deals.deals.2,'=deal:2,done,`)
  expect(end).toBe('')
  const exported = (await ask(person, 'action=kernel.list.export')).body.data
  expect(exported).toMatchObject([{ actor: person.principal.id, target: path }])
  expect((await ask(world.person(), '', accept)).status).toBe(403)
})
