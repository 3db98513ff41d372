/**
 * One fault after the other, under the traffic of all surfaces: no acknowledged operation is lost, none is
 * done twice, and no right outlives its end by more than a second on a node that can be reached, or on one
 * that cannot know. REPORT=1 writes what the clients saw into docs/many-nodes.md.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startVisitors, type Visit } from '../../src/surfaces/links/test/visitors.ts'
import { openReceiver, type Receiver } from '../../src/surfaces/webhooks/test/receiver.ts'
import { call, eventually, newKey } from '../world.ts'
import { enginesAreInstalled } from '../nodes/engines.ts'
import { writeFaults, type Measured } from '../nodes/fault-table.ts'
import type { Operation } from '../nodes/operation.ts'
import { prepareOperations } from '../nodes/operations.ts'
import { outcomeOf, startTraffic, type Acknowledged } from '../nodes/traffic.ts'
import { openNodes, reachable, type NodesWorld } from '../nodes/world.ts'

/** Longer than the leases of the nodes of this test that have a setting (5 s, 10 s). */
const outage_ms = 12_000
/** Longer than all leases of work that is in progress, but for that of one stage of retrieval (120 s). */
const frozen_ms = 60_000
/** The longest lease, and the work itself. */
const complete_ms = 180_000
const limit_ms = 500_000

describe.skipIf(!enginesAreInstalled)('three nodes under load', { retry: 0 }, () => {
  let world: NodesWorld
  let receiver: Receiver
  let operations: Operation[]
  const acknowledged: Acknowledged = new Map()
  const measured: Measured[] = []
  beforeAll(async () => {
    world = await openNodes()
    const receiver_host = world.network.tester
    receiver = await openReceiver(receiver_host)
    const { control } = world.services
    operations = await prepareOperations({ ...world, control, receiver, receiver_host })
    // What is loaded at first use is loaded everywhere.
    const traffic = trafficOf()
    await traffic.more()
    await traffic.stop()
    const wrong = await completed()
    if (wrong.length > 0) throw new Error(`wrong before any fault: ${JSON.stringify(wrong)}`)
  }, 400_000)
  afterAll(async () => {
    await world?.close()
    await receiver?.close()
    if (process.env['REPORT'] && measured.length > 0) await writeFaults(measured)
  })

  const trafficOf = () => startTraffic(operations, acknowledged, at => reachable(world, at))
  const nodeAt = (number: number) => world.nodes[number as 0 | 1 | 2]

  const outcomes = async () =>
    await Promise.all(
      operations.map(async operation => ({
        surface: operation.surface,
        ...(await outcomeOf(operation, acknowledged, world.db)),
      })),
    )

  /** Waits until nothing that was acknowledged is missing; returns what is missing in the end. */
  async function completed() {
    let found = await outcomes()
    const whole = async () => {
      found = await outcomes()
      return found.every(({ lost }) => lost.length === 0)
    }
    await eventually('all is complete', whole, complete_ms).catch(() => {})
    return found.filter(({ lost, doubled }) => lost.length + doubled.length > 0)
  }

  /** Runs a fault under load, to its end. */
  async function expectWhole(fault: string, run: () => Promise<void>): Promise<void> {
    const traffic = trafficOf()
    await traffic.begun()
    const began_ms = performance.now()
    await run()
    const lasted_ms = performance.now() - began_ms
    traffic.ended()
    await traffic.more()
    const seen = await traffic.stop()
    const stopped_ms = performance.now()
    const wrong = await completed()
    const sum = (one: 'lost' | 'doubled') => wrong.reduce((all, it) => all + it[one].length, 0)
    const [lost, doubled] = [sum('lost'), sum('doubled')]
    const complete = performance.now() - stopped_ms
    measured.push({ fault, lasted_ms, seen, complete_ms: complete, lost, doubled })
    expect(wrong, JSON.stringify(wrong)).toEqual([])
  }

  /** A person who uses a session and a link on these nodes, and ends both on the first node. */
  async function rights(...used_on: readonly number[]) {
    const member = await world.member()
    const { token, session_id } = member
    const body = { destination_url: 'https://www.example.com/' }
    const link = await call(world.url, 'POST', '/v1/links', { token, key: newKey(), body })
    expect(link.status, link.text).toBe(201)
    const path = `/${link.body.code}`
    const visitors = used_on.map(number => ({
      number,
      session: startVisitors(`${nodeAt(number).url}/v1/me`, 1, {
        authorization: `Bearer ${token}`,
      }),
      link: startVisitors(nodeAt(number).url + path, 1),
    }))
    const more = (count: number) =>
      Promise.all(visitors.flatMap(one => [one.session.more(count), one.link.more(count)]))
    await more(3)
    let ended_ms = Infinity
    const late = ({ began_ms, status }: Visit) => began_ms > ended_ms + 1000 && status !== null
    const end = async (at: string, ask: object) => {
      const request = () => call(nodeAt(0).url, 'DELETE', at, ask).catch(() => null)
      await eventually(`${at} is deleted`, async () => (await request())?.status === 204)
    }
    return {
      end: async () => {
        await end(`/v1/links${path}`, { token })
        await end(`/v1/sessions/${session_id}`, { token })
        ended_ms = performance.now()
      },
      /** Statuses later than a second after the end, of the session and the link; it waits for some. */
      statuses: async (number: number) => {
        const { session, link } = visitors.find(one => one.number === number) ?? {}
        const found = []
        for (const one of [session, link]) {
          if (!one) throw new Error(`nothing is asked of node ${number}`)
          await eventually('it is asked after a second', () => one.visits.some(late))
          await one.more(3)
          found.push([...new Set(one.visits.filter(late).map(({ status }) => status ?? 0))])
        }
        return found
      },
      stop: () => Promise.all(visitors.flatMap(one => [one.session.stop(), one.link.stop()])),
    }
  }

  const refused = [[401], [404]]

  /** Ends rights while all nodes can be reached. */
  async function expectRightsEnd(): Promise<void> {
    const held = await rights(0, 1, 2)
    await held.end()
    for (const number of [0, 1, 2]) expect(await held.statuses(number)).toEqual(refused)
    await held.stop()
  }

  test(
    'a node that is cut from the database refuses what it cannot know',
    async () => {
      await expectWhole('A node is cut from database, NATS and object store', async () => {
        const held = await rights(1, 2)
        await world.network.cut(1, 'back')
        await eventually('it is not ready', async () => !(await nodeAt(1).ready()))
        await held.end()
        expect(await held.statuses(2)).toEqual(refused)
        expect(await held.statuses(1)).toEqual([[503], [503]])
        await wait(outage_ms)
        expect(await held.statuses(1)).toEqual([[503], [503]])
        await world.network.heal(1, 'back')
        await eventually('it is ready again', () => nodeAt(1).ready())
        await held.stop()
      })
    },
    limit_ms,
  )

  test(
    'a node that clients cannot reach is left out',
    async () => {
      await expectWhole('The proxy cannot reach a node', async () => {
        await world.network.cut(2, 'front')
        await wait(outage_ms)
        await world.network.heal(2, 'front')
        await eventually('it is reached again', () => nodeAt(2).ready())
      })
      await expectRightsEnd()
    },
    limit_ms,
  )

  test(
    'a node that was frozen for a minute does nothing that others took over',
    async () => {
      await expectWhole('A node is frozen for a minute', async () => {
        const held = await rights(1, 2)
        nodeAt(2).freeze()
        await held.end()
        expect(await held.statuses(1)).toEqual(refused)
        await wait(frozen_ms)
        nodeAt(2).thaw()
        const [session = [], link = []] = await held.statuses(2)
        // 503 until it knows again.
        expect(session.filter(status => status !== 503)).toEqual([401])
        expect(link.filter(status => status !== 503)).toEqual([404])
        await held.stop()
      })
    },
    limit_ms,
  )

  test(
    'a node is killed',
    async () => {
      await expectWhole('A node is killed and started again', async () => {
        await nodeAt(0).kill()
        await wait(outage_ms)
        await nodeAt(0).start()
      })
      await expectRightsEnd()
    },
    limit_ms,
  )

  test.each([
    ['fast', 'PostgreSQL is restarted (fast)'],
    ['immediate', 'PostgreSQL crashes and recovers'],
  ] as const)(
    'PostgreSQL is restarted: %s',
    async (how, name) => {
      await expectWhole(name, () => world.database.restart(how))
      await expectRightsEnd()
    },
    limit_ms,
  )

  test(
    'the primary dies, and the standby takes over',
    async () => {
      await expectWhole('Fail-over to the standby', () => world.database.failOver())
      await expectRightsEnd()
      await world.database.rebuildStandby()
    },
    limit_ms,
  )

  test(
    'rights end within a second without NATS',
    async () => {
      await expectWhole('NATS is down', async () => {
        await world.services.nats.stop()
        await expectRightsEnd()
        await wait(outage_ms)
        await world.services.nats.start()
      })
      await expectRightsEnd()
    },
    limit_ms,
  )

  test(
    'without the object store only what needs it waits',
    async () => {
      await expectWhole('The object store is down', async () => {
        await world.services.swift.stop()
        await wait(outage_ms)
        await world.services.swift.start()
      })
      const failed = measured.at(-1)?.seen.filter(one => Object.keys(one.failures).length > 0)
      expect(failed?.map(one => one.surface)).toEqual(['uploads'])
    },
    limit_ms,
  )

  test('the checks of all surfaces find nothing', async () => {
    expect(await world.doctor()).toEqual([])
  })
})
