/**
 * One fault after the other, under the traffic of all surfaces: no acknowledged operation is lost, none is
 * done twice, and no right outlives its end by more than a second on a node that can be reached. REPORT=1
 * writes what the clients saw into docs/many-nodes.md.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startVisitors, type Visit } from '../../src/surfaces/links/test/visitors.ts'
import { openReceiver } from '../../src/surfaces/webhooks/test/receiver.ts'
import type { Member } from '../product-world.ts'
import { call, eventually, newKey } from '../world.ts'
import { enginesAreInstalled } from './engines.ts'
import { writeFaults, type Measured } from './fault-table.ts'
import type { Operation } from './operation.ts'
import { prepareOperations } from './operations.ts'
import { outcomeOf, startTraffic, type Acknowledged, type Traffic } from './traffic.ts'
import { openNodes, reachable, type Node, type NodesWorld } from './world.ts'

/** The longest lease, and the work itself. */
const complete_ms = 180_000
const limit_ms = 500_000
/** Prepared in tens of seconds on a quiet machine. */
const open_ms = 600_000

export type Drill = {
  readonly world: NodesWorld
  readonly measured: readonly Measured[]
  /** Who writes while no member can be made. */
  readonly writer: Member
  node(number: number): Node
  /** Runs a fault under load, to its end. */
  expectWhole(fault: string, run: (traffic: Traffic) => Promise<void>): Promise<void>
  /** A person who uses a session and a link on these nodes, and ends both on the first node. */
  rights(...used_on: readonly number[]): Promise<Rights>
  /** Ends rights while all nodes can be reached. */
  expectRightsEnd(): Promise<void>
  close(): Promise<void>
}

export type Rights = {
  end(): Promise<void>
  /** Statuses later than a second after the end, of the session and the link; it waits for some. */
  statuses(number: number): Promise<number[][]>
  stop(): Promise<unknown>
}

export const refused = [[401], [404]]

/** Tests of one world, which they ask for when they run; in the end nothing may be wrong in it. */
export function describeDrill(name: string, tests: (drill: () => Drill) => void): void {
  // oxlint-disable-next-line vitest/valid-title -- it is a string: see the parameter
  describe.skipIf(!enginesAreInstalled)(name, { retry: 0, timeout: limit_ms }, () => {
    let opened: Drill | undefined
    const drill = () => {
      if (!opened) throw new Error('the nodes are not open')
      return opened
    }
    beforeAll(async () => {
      opened = await openDrill()
    }, open_ms)
    afterAll(() => opened?.close())
    tests(drill)
    test('the checks of all surfaces find nothing', async () => {
      expect(await drill().world.doctor()).toEqual([])
    })
  })
}

async function openDrill(): Promise<Drill> {
  const world = await openNodes()
  try {
    return await drillOf(world)
  } catch (error) {
    await world.close()
    throw error
  }
}

async function drillOf(world: NodesWorld): Promise<Drill> {
  const receiver_host = world.network.tester
  const receiver = await openReceiver(receiver_host)
  const { control } = world.services
  const operations = await prepareOperations({ ...world, control, receiver, receiver_host })
  const acknowledged: Acknowledged = new Map()
  const measured: Measured[] = []
  const trafficOf = () => startTraffic(operations, acknowledged, at => reachable(world, at))

  const completed = () => completedOf(operations, acknowledged, world)
  const expectWhole: Drill['expectWhole'] = async (fault, run) => {
    const traffic = trafficOf()
    await traffic.begun()
    const began_ms = performance.now()
    await run(traffic)
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

  // What is loaded at first use is loaded everywhere.
  const traffic = trafficOf()
  await traffic.more()
  await traffic.stop()
  const wrong = await completed()
  if (wrong.length > 0) throw new Error(`wrong before any fault: ${JSON.stringify(wrong)}`)

  const rights = (...used_on: readonly number[]) => rightsOn(world, used_on)
  return {
    world,
    measured,
    writer: await world.member(),
    node: number => nodeOf(world, number),
    expectWhole,
    rights,
    expectRightsEnd: async () => {
      const held = await rights(0, 1, 2)
      await held.end()
      for (const number of [0, 1, 2]) expect(await held.statuses(number)).toEqual(refused)
      await held.stop()
    },
    close: async () => {
      await world.close()
      await receiver.close()
      if (process.env['REPORT'] && measured.length > 0) await writeFaults(measured)
    },
  }
}

/** Waits until nothing that was acknowledged is missing; returns what is missing in the end. */
async function completedOf(
  operations: readonly Operation[],
  acknowledged: Acknowledged,
  { db }: NodesWorld,
) {
  const outcomes = async () =>
    await Promise.all(
      operations.map(async operation => ({
        surface: operation.surface,
        ...(await outcomeOf(operation, acknowledged, db)),
      })),
    )
  let found = await outcomes()
  const whole = async () => {
    found = await outcomes()
    return found.every(({ lost }) => lost.length === 0)
  }
  await eventually('all is complete', whole, complete_ms).catch(() => {})
  return found.filter(({ lost, doubled }) => lost.length + doubled.length > 0)
}

const nodeOf = (world: NodesWorld, number: number) => world.nodes[number as 0 | 1 | 2]

async function rightsOn(world: NodesWorld, used_on: readonly number[]): Promise<Rights> {
  const member = await world.member()
  const { token, session_id } = member
  const body = { destination_url: 'https://www.example.com/' }
  const link = await call(world.url, 'POST', '/v1/links', { token, key: newKey(), body })
  expect(link.status, link.text).toBe(201)
  const path = `/${link.body.code}`
  const visitors = used_on.map(number => ({
    number,
    session: startVisitors(`${nodeOf(world, number).url}/v1/me`, 1, {
      authorization: `Bearer ${token}`,
    }),
    link: startVisitors(nodeOf(world, number).url + path, 1),
  }))
  const more = (count: number) =>
    Promise.all(visitors.flatMap(one => [one.session.more(count), one.link.more(count)]))
  await more(3)
  let ended_ms = Infinity
  const late = ({ began_ms, status }: Visit) => began_ms > ended_ms + 1000 && status !== null
  const end = async (at: string, ask: object) => {
    const request = () => call(nodeOf(world, 0).url, 'DELETE', at, ask).catch(() => null)
    await eventually(`${at} is deleted`, async () => (await request())?.status === 204)
  }
  return {
    end: async () => {
      await end(`/v1/links${path}`, { token })
      await end(`/v1/sessions/${session_id}`, { token })
      ended_ms = performance.now()
    },
    statuses: async number => {
      const { session, link: visited } = visitors.find(one => one.number === number) ?? {}
      const found = []
      for (const one of [session, visited]) {
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
