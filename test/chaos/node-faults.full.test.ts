/** Faults of nodes, and of what they share: see `test/nodes/drill.ts`. */
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../world.ts'
import { limit_ms, open_ms, openDrill, refused, type Drill } from '../nodes/drill.ts'
import { enginesAreInstalled } from '../nodes/engines.ts'

/** Longer than the leases of the nodes of this test that have a setting (5 s, 10 s). */
const outage_ms = 12_000
/** Longer than all leases of work that is in progress, but for that of one stage of retrieval (120 s). */
const frozen_ms = 60_000

describe.skipIf(!enginesAreInstalled)('three nodes under load', { retry: 0 }, () => {
  let drill: Drill
  beforeAll(async () => {
    drill = await openDrill()
  }, open_ms)
  afterAll(() => drill?.close())
  const expectWhole: Drill['expectWhole'] = (...given) => drill.expectWhole(...given)
  const expectRightsEnd = () => drill.expectRightsEnd()

  test(
    'a node that is cut from the database refuses what it cannot know',
    async () => {
      const { world } = drill
      await expectWhole('A node is cut from database, NATS and object store', async () => {
        const held = await drill.rights(1, 2)
        await world.network.cut(1, 'back')
        await eventually('it is not ready', async () => !(await drill.node(1).ready()))
        await held.end()
        expect(await held.statuses(2)).toEqual(refused)
        expect(await held.statuses(1)).toEqual([[503], [503]])
        await wait(outage_ms)
        expect(await held.statuses(1)).toEqual([[503], [503]])
        await world.network.heal(1, 'back')
        await eventually('it is ready again', () => drill.node(1).ready())
        await held.stop()
      })
    },
    limit_ms,
  )

  test(
    'a node that clients cannot reach is left out',
    async () => {
      await expectWhole('The proxy cannot reach a node', async () => {
        await drill.world.network.cut(2, 'front')
        await wait(outage_ms)
        await drill.world.network.heal(2, 'front')
        await eventually('it is reached again', () => drill.node(2).ready())
      })
      await expectRightsEnd()
    },
    limit_ms,
  )

  test(
    'a node that was frozen for a minute does nothing that others took over',
    async () => {
      await expectWhole('A node is frozen for a minute', async () => {
        const held = await drill.rights(1, 2)
        drill.node(2).freeze()
        await held.end()
        expect(await held.statuses(1)).toEqual(refused)
        await wait(frozen_ms)
        drill.node(2).thaw()
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
        await drill.node(0).kill()
        await wait(outage_ms)
        await drill.node(0).start()
      })
      await expectRightsEnd()
    },
    limit_ms,
  )

  test(
    'rights end within a second without NATS',
    async () => {
      await expectWhole('NATS is down', async () => {
        await drill.world.services.nats.stop()
        await expectRightsEnd()
        await wait(outage_ms)
        await drill.world.services.nats.start()
      })
      await expectRightsEnd()
    },
    limit_ms,
  )

  test(
    'a NATS member is killed, and the others go on',
    async () => {
      const [member] = drill.world.services.nats_members
      await expectWhole('One of three NATS servers is killed', async () => {
        await member?.stop()
        await expectRightsEnd()
        await wait(outage_ms)
        await member?.start()
      })
      await expectRightsEnd()
    },
    limit_ms,
  )

  test(
    'without the object store only what needs it waits',
    async () => {
      await expectWhole('The object store is down', async () => {
        await drill.world.services.swift.stop()
        await wait(outage_ms)
        await drill.world.services.swift.start()
      })
      const failed = drill.measured.at(-1)?.seen.filter(one => Object.keys(one.failures).length > 0)
      expect(failed?.map(one => one.surface)).toEqual(['uploads'])
    },
    limit_ms,
  )

  test('the checks of all surfaces find nothing', async () => {
    expect(await drill.world.doctor()).toEqual([])
  })
})
