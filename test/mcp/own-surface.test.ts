/** A surface of an application gives its resource to models by one word. */
import { afterAll, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { openWorld } from '../world.ts'
import { connect, rpc, saidIn, toolCall } from './clients.ts'

const world = await openWorld()
afterAll(() => world.close())
const { url } = world

test('it reads and writes, and deletes with a yes', async () => {
  const member = world.person()
  const asked: string[] = []
  const client = await connect(url, member.token, message => {
    asked.push(message)
    return {}
  })
  const { tools } = await client.listTools()
  const own = tools.filter(one => /Leads?$/.test(one.name)).map(one => one.name)
  expect(own).toEqual(['changeLead', 'createLead', 'deleteLead', 'getLead', 'listLeads'])
  const call = async (name: string, given: Record<string, unknown>) =>
    saidIn(await client.callTool({ name, arguments: given }))
  const { id: lead_id, version } = await call('createLead', { title: newId(), amount_minor: 5 })
  const changed = await call('changeLead', { lead_id, note: 'called', if_match: version })
  expect(changed).toMatchObject({ note: 'called', version: version + 1 })
  expect((await call('changeLead', { lead_id, note: 'again', if_match: version })).code).toBe(
    'precondition_failed',
  )
  expect((await call('listLeads', { state: 'open' })).data).toHaveLength(1)
  expect((await call('write', { operation: 'winLead', arguments: { lead_id } })).state).toBe('won')
  expect(asked).toHaveLength(1)
  expect(await call('deleteLead', { lead_id })).toBe('Done.')
  expect(asked).toHaveLength(2)
  expect((await call('getLead', { lead_id })).code).toBe('lead_not_found')
  await client.close()
})

test('a client that repeats a change with its key changes once', async () => {
  const member = world.person()
  const made = await toolCall(url, member.token, 'createLead', { title: newId(), amount_minor: 5 })
  const lead_id = made.said.id
  const params = { name: 'changeLead', arguments: { lead_id, note: 'called' } }
  const headers = { 'idempotency-key': `change-${newId()}` }
  const all = await Promise.all(
    Array.from({ length: 20 }, () => rpc(url, member.token, 'tools/call', { params, headers })),
  )
  const said = all.filter(one => !one.body.result.isError).map(one => saidIn(one.body.result))
  expect(new Set(said.map(one => one.version))).toEqual(new Set([2]))
  const again = await toolCall(url, member.token, 'getLead', { lead_id })
  expect(again.said.version).toBe(2)
})

test('of another tenant, nothing is found', async () => {
  const [one, other] = [world.person(), world.person()]
  const made = await toolCall(url, one.token, 'createLead', { title: newId(), amount_minor: 5 })
  const { id: lead_id } = made.said
  for (const name of ['getLead', 'changeLead']) {
    expect((await toolCall(url, other.token, name, { lead_id })).said.code).toBe('lead_not_found')
  }
  // What asks first is looked for when it is done.
  const { result } = await toolCall(url, other.token, 'deleteLead', { lead_id })
  const deleted = await toolCall(
    url,
    other.token,
    'deleteLead',
    { lead_id },
    {
      requestState: result.requestState,
      inputResponses: { approval: { action: 'accept', content: { approve: true } } },
    },
  )
  expect(deleted.said.code).toBe('lead_not_found')
  expect((await toolCall(url, one.token, 'getLead', { lead_id })).said.id).toBe(lead_id)
  expect((await toolCall(url, other.token, 'listLeads', {})).said.data).toEqual([])
})
