/** Faults of nodes, and of what they share: see `test/nodes/drill.ts`. */
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { eventually } from '../world.ts'
import { describeDrill, refused } from '../nodes/drill.ts'

/** Longer than the leases of the nodes of this test that have a setting (5 s, 10 s). */
const outage_ms = 12_000
/** Longer than all leases of work that is in progress, but for that of one stage of retrieval (120 s). */
const frozen_ms = 60_000

describeDrill('three nodes under load', drill => {
  test('a node that is cut from the database refuses what it cannot know', async () => {
    const { world, node, rights, expectWhole } = drill()
    await expectWhole('A node is cut from database, NATS and object store', async () => {
      const held = await rights(1, 2)
      await world.network.cut(1, 'back')
      await eventually('it is not ready', async () => !(await node(1).ready()))
      await held.end()
      expect(await held.statuses(2)).toEqual(refused)
      expect(await held.statuses(1)).toEqual([[503], [503]])
      await wait(outage_ms)
      expect(await held.statuses(1)).toEqual([[503], [503]])
      await world.network.heal(1, 'back')
      await eventually('it is ready again', () => node(1).ready())
      await held.stop()
    })
  })

  test('a node that clients cannot reach is left out', async () => {
    const { world, node, expectWhole, expectRightsEnd } = drill()
    await expectWhole('The proxy cannot reach a node', async () => {
      await world.network.cut(2, 'front')
      await wait(outage_ms)
      await world.network.heal(2, 'front')
      await eventually('it is reached again', () => node(2).ready())
    })
    await expectRightsEnd()
  })

  test('a node that was frozen for a minute does nothing that others took over', async () => {
    const { node, rights, expectWhole } = drill()
    await expectWhole('A node is frozen for a minute', async () => {
      const held = await rights(1, 2)
      node(2).freeze()
      await held.end()
      expect(await held.statuses(1)).toEqual(refused)
      await wait(frozen_ms)
      node(2).thaw()
      const [session = [], link = []] = await held.statuses(2)
      // 503 until it knows again.
      expect(session.filter(status => status !== 503)).toEqual([401])
      expect(link.filter(status => status !== 503)).toEqual([404])
      await held.stop()
    })
  })

  test('a node is killed', async () => {
    const { node, expectWhole, expectRightsEnd } = drill()
    await expectWhole('A node is killed and started again', async () => {
      await node(0).kill()
      await wait(outage_ms)
      await node(0).start()
    })
    await expectRightsEnd()
  })

  test('rights end within a second without NATS', async () => {
    const { world, expectWhole, expectRightsEnd } = drill()
    await expectWhole('NATS is down', async () => {
      await world.services.nats.stop()
      await expectRightsEnd()
      await wait(outage_ms)
      await world.services.nats.start()
    })
    await expectRightsEnd()
  })

  test('a NATS member is killed, and the others go on', async () => {
    const { world, expectWhole, expectRightsEnd } = drill()
    const [member] = world.services.nats_members
    await expectWhole('One of three NATS servers is killed', async () => {
      await member?.stop()
      await expectRightsEnd()
      await wait(outage_ms)
      await member?.start()
    })
    await expectRightsEnd()
  })

  test('without the object store only what needs it waits', async () => {
    const { world, measured, expectWhole } = drill()
    await expectWhole('The object store is down', async () => {
      await world.services.swift.stop()
      await wait(outage_ms)
      await world.services.swift.start()
    })
    const failed = measured.at(-1)?.seen.filter(one => Object.keys(one.failures).length > 0)
    expect(failed?.map(one => one.surface)).toEqual(['uploads'])
  })
})
