/** What the drills of the database share: how long it takes until every node serves again. */
import { expect } from 'vitest'
import { call, eventually, newKey } from '../world.ts'
import { refused, type Drill, type Rights } from './drill.ts'

/** The promise of docs/database.md. */
const serves_within_ms = 40_000

/** Runs what breaks the database, and waits until each node has written to it again. */
export async function servesAgain(drill: Drill, breaks: () => Promise<unknown>): Promise<void> {
  const { world } = drill
  const member = await world.member()
  const began_ms = performance.now()
  await breaks()
  const write = (url: string) => {
    const body = { destination_url: 'https://www.example.com/' }
    return call(url, 'POST', '/v1/links', { token: member.token, key: newKey(), body })
  }
  await Promise.all(
    world.nodes.map(({ url, number }) =>
      eventually(`node ${number} writes`, async () => {
        const answer = await write(url).catch(() => null)
        return answer?.status === 201
      }),
    ),
  )
  expect(performance.now() - began_ms).toBeLessThan(serves_within_ms)
}

/** 503 is right while a node cannot know. */
export async function expectRefused(held: Rights): Promise<void> {
  for (const number of [0, 1, 2]) {
    const found = await held.statuses(number)
    expect(found.map(statuses => statuses.filter(one => one !== 503))).toEqual(refused)
  }
}
