/** Faults of the database's hosts in which its primary stays, or nobody may take over. */
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { limit_ms, open_ms, openDrill, type Drill } from '../nodes/drill.ts'
import { enginesAreInstalled } from '../nodes/engines.ts'
import { servesAgain } from '../nodes/failover.ts'
import { sides } from '../nodes/network.ts'

/** Longer than the primary's lock. */
const outage_ms = 30_000

describe.skipIf(!enginesAreInstalled)('hosts of the database', { retry: 0 }, () => {
  let drill: Drill
  beforeAll(async () => {
    drill = await openDrill()
  }, open_ms)
  afterAll(() => drill?.close())
  const expectWhole: Drill['expectWhole'] = (...given) => drill.expectWhole(...given)
  const expectRightsEnd = () => drill.expectRightsEnd()

  const others = async () => {
    const { database } = drill.world
    const primary = await database.primary()
    return database.hosts.filter(host => host !== primary)
  }

  test(
    'the primary cannot reach etcd, and goes on',
    async () => {
      const { database, network } = drill.world
      await expectWhole('The primary is cut from etcd', async () => {
        const { node, name } = await database.primary()
        await servesAgain(drill, () => network.cut(node, 'front'))
        await wait(outage_ms)
        await servesAgain(drill, () => network.heal(node, 'front'))
        expect((await database.primary()).name).toBe(name)
      })
    },
    limit_ms,
  )

  test(
    'the primary cannot reach anything',
    async () => {
      const { database, network } = drill.world
      await expectWhole('The primary is cut from all', async () => {
        const { node } = await database.primary()
        await servesAgain(drill, () => network.cut(node, ...sides))
        await network.heal(node, ...sides)
        await database.whole()
      })
      await expectRightsEnd()
    },
    limit_ms,
  )

  test(
    'PostgreSQL crashes on the primary, and recovers there',
    async () => {
      const { database } = drill.world
      await expectWhole('PostgreSQL crashes and recovers', async () => {
        const primary = await database.primary()
        await servesAgain(drill, () => primary.killPostmaster())
      })
      await expectRightsEnd()
      await database.whole()
    },
    limit_ms,
  )

  test(
    'the synchronous standby is killed, and another one takes its place',
    async () => {
      const { database } = drill.world
      await expectWhole('The synchronous standby is killed', async () => {
        const standby = await database.synchronous()
        await servesAgain(drill, () => standby.powerOff())
        await standby.powerOn()
        await database.whole()
      })
    },
    limit_ms,
  )

  test(
    'without both standbys nothing is acknowledged that only one disk has',
    async () => {
      const { database } = drill.world
      await expectWhole('Both standbys are down', async () => {
        const standbys = await others()
        for (const host of standbys) await host.powerOff()
        await wait(outage_ms)
        await servesAgain(drill, async () => {
          for (const host of standbys) await host.powerOn()
        })
        await database.whole()
      })
    },
    limit_ms,
  )

  test(
    'two members of etcd are down, and the primary goes on',
    async () => {
      const { database } = drill.world
      await expectWhole('Two members of etcd are down', async () => {
        const { name } = await database.primary()
        const hosts = await others()
        for (const host of hosts) await host.stopEtcd()
        await wait(outage_ms)
        await servesAgain(drill, () => Promise.resolve())
        for (const host of hosts) host.startEtcd()
        await database.whole()
        expect((await database.primary()).name).toBe(name)
      })
    },
    limit_ms,
  )

  test('the checks of all surfaces find nothing', async () => {
    expect(await drill.world.doctor()).toEqual([])
  })
})
