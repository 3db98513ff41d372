/** What the drills of the database share: how long it takes until every node serves again. */
import { expect } from 'vitest'
import { call, eventually, newKey } from '../world.ts'
import type { Member } from '../product-world.ts'
import { refused, type Drill, type Rights } from './drill.ts'
import type { Node } from './world.ts'

/** The promise of docs/database.md. */
const serves_within_ms = 40_000
/** Longer than the primary's lock. */
export const outage_ms = 30_000

/** A link that is made on this node: the status of the answer, or null if none comes. */
async function write({ url }: Node, { token }: Member): Promise<number | null> {
  const body = { destination_url: 'https://www.example.com/' }
  const made = call(url, 'POST', '/v1/links', { token, key: newKey(), body })
  return await made.then(
    ({ status }) => status,
    () => null,
  )
}

/** Runs what breaks the database, and waits until each node has written to it again. */
export async function servesAgain(
  { world, writer }: Drill,
  breaks: () => Promise<unknown>,
): Promise<void> {
  const began_ms = performance.now()
  await breaks()
  const written = (node: Node) => async () => (await write(node, writer)) === 201
  await Promise.all(
    world.nodes.map(node => eventually(`node ${node.number} writes`, written(node))),
  )
  expect(performance.now() - began_ms).toBeLessThan(serves_within_ms)
}

/** For a while after what breaks it, no node acknowledges a write. */
export async function expectNoWrites(
  { world, writer }: Drill,
  breaks: () => Promise<unknown>,
): Promise<void> {
  await breaks()
  const refused_until_ms = performance.now() + outage_ms
  do {
    const statuses = await Promise.all(world.nodes.map(node => write(node, writer)))
    expect(statuses).toEqual([503, 503, 503])
  } while (performance.now() < refused_until_ms)
}

/** 503 is right while a node cannot know. */
export async function expectRefused(held: Rights): Promise<void> {
  for (const number of [0, 1, 2]) {
    const found = await held.statuses(number)
    expect(found.map(statuses => statuses.filter(one => one !== 503))).toEqual(refused)
  }
}
