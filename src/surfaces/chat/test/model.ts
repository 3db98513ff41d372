/**
 * People who talk while their networks are cut, stalled and led to other processes, while sends are repeated
 * and processes are killed. The model is one list: what the database holds at the end. Every device has to
 * have seen each message once, in that order, and every text as it is at the end.
 */
import fc from 'fast-check'
import { expect } from 'vitest'
import { createClient, type ChatSent } from '../../../../client/src/index.ts'
import { startProcess, type PlatformProcess } from '../../../../test/process.ts'
import { eventually } from '../../../../test/world.ts'
import { openBadNetwork } from './bad-network.ts'
import { upTo, type ChatWorld, type Json, type Talker } from './chat-world.ts'

const who = fc.nat(2)
const steps = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      act: fc.constant('send' as const),
      who,
      many: fc.integer({ min: 1, max: 5 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('repeat' as const), who }) },
  {
    weight: 2,
    arbitrary: fc.record({ act: fc.constantFrom('edit' as const, 'remove' as const), who }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      act: fc.constantFrom('cut' as const, 'stall' as const, 'flow' as const, 'move' as const),
      who,
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('kill' as const), who }) },
)
type Step = typeof steps extends fc.Arbitrary<infer S> ? S : never

export const scripts = (many: number) => fc.array(steps, { minLength: many, maxLength: many })

/** With `kills` a second process serves too, and is killed and replaced. */
export async function playScript(world: ChatWorld, script: readonly Step[], kills: boolean) {
  const people = await world.people(3)
  const [first, ...others] = people as [Talker, ...Talker[]]
  const id = await first.group(others)
  const start = () => startProcess({ ...world.environment, ROLES: 'api' }, 'product')
  let beside: PlatformProcess | null = kills ? await start() : null
  const devices = await Promise.all(people.map(one => openDevice(world, one, id)))
  const sends: Promise<ChatSent>[] = []
  let n = 0
  const act = async (step: Step) => {
    const device = devices[step.who]
    const person = people[step.who]
    if (!device || !person) return
    const { chat, network } = device
    if (step.act === 'send') {
      for (const _ of upTo(step.many)) {
        sends.push(
          chat.send({
            conversation_id: id,
            body: `No. ${++n}`,
            request_id: `number-of-message-${n}`,
          }),
        )
      }
    } else if (step.act === 'repeat') {
      const [key, body] = [`number-of-message-${++n}`, `No. ${n}`]
      sends.push(chat.send({ conversation_id: id, body, request_id: key }))
      const again = await person.send(id, body, { key })
      expect(again.status, again.text).toBe(201)
    } else if (step.act === 'edit' || step.act === 'remove') {
      const own = (await person.history(id)).data.find(
        (one: Json) => one.sender_id === person.id && one.deleted_at === null,
      )
      if (!own) return
      const at = `/v1/conversations/${id}/messages/${own.id}`
      if (step.act === 'edit') await person.ask('PATCH', at, { body: `edited ${++n}` })
      else await person.ask('DELETE', at)
    } else if (step.act === 'kill') {
      if (!beside) return
      await beside.kill()
      beside = await start()
      for (const one of devices) if (one.there) one.network.lead(beside.url)
    } else if (step.act === 'move') {
      device.there = !device.there && beside !== null
      network.lead(device.there && beside ? beside.url : world.base_url)
      network.cut()
    } else network[step.act]()
  }
  for (const step of script) await act(step)
  for (const { network } of devices) network.flow()
  const acknowledged = await Promise.all(sends)
  const stored = await wholeHistory(first, id)
  expect(stored.map(one => one.sequence)).toEqual(upTo(stored.length))
  expect(new Set(acknowledged.map(one => one.message_id)).size).toBe(sends.length)
  expect(new Set(stored.map(one => one.id))).toEqual(
    new Set(acknowledged.map(one => one.message_id)),
  )
  const texts = stored.map(one => one.body)
  for (const { seen, text, chat, network } of devices) {
    await eventually(
      `all of ${stored.length}, of which ${seen.length} came`,
      () => JSON.stringify(stored.map(one => text.get(one.sequence))) === JSON.stringify(texts),
    )
    expect(seen).toEqual(upTo(stored.length))
    chat.close()
    network.close()
  }
  await beside?.kill()
}

async function openDevice(world: ChatWorld, person: Talker, id: string) {
  const network = await openBadNetwork(world.base_url)
  const api = createClient({ base_url: network.url, token: person.token, retries: 0 })
  const chat = api.chat.connect({ wait_ms_max: 100 })
  const seen: number[] = []
  const text = new Map<number, string | null>()
  let online = false
  chat.on('online', () => (online = true))
  chat.on('message', ({ kind, conversation_id, message }) => {
    if (conversation_id !== id) return
    if (kind === 'created') seen.push(message.sequence)
    text.set(message.sequence, message.body)
  })
  await eventually('the device is online', () => online)
  return { chat, network, seen, text, there: false }
}

async function wholeHistory(person: Talker, id: string): Promise<Json[]> {
  const all: Json[] = []
  for (;;) {
    const page = await person.history(id, `?limit=100&after=${all.length}`)
    all.push(...page.data)
    if (!page.has_more) return all
  }
}
