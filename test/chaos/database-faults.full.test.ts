/** Faults of the database's hosts in which its primary stays, or nobody may take over. */
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Database } from '../nodes/database.ts'
import type { DatabaseHost } from '../nodes/database-host.ts'
import { describeDrill } from '../nodes/drill.ts'
import { expectNoWrites, expectRefused, outage_ms, servesAgain } from '../nodes/failover.ts'
import { sides } from '../nodes/network.ts'

describeDrill('hosts of the database', drill => {
  const ofAll = async (hosts: readonly DatabaseHost[], act: (host: DatabaseHost) => unknown) => {
    for (const host of hosts) await act(host)
  }
  const standbysOf = async (database: Database) => {
    const primary = await database.primary()
    return database.hosts.filter(host => host !== primary)
  }

  test('the primary cannot reach etcd, and goes on', async () => {
    const { world, expectWhole, expectRightsEnd } = drill()
    const { database, network } = world
    await expectWhole('The primary is cut from etcd', async () => {
      const { node, name } = await database.primary()
      await servesAgain(drill(), () => network.cut(node, 'front'))
      await wait(outage_ms)
      await expectRightsEnd()
      await servesAgain(drill(), () => network.heal(node, 'front'))
      expect((await database.primary()).name).toBe(name)
    })
  })

  test('the primary cannot reach anything', async () => {
    const { world, rights, expectWhole } = drill()
    const { database, network } = world
    await expectWhole('The primary is cut from all', async () => {
      const [{ node }, held] = [await database.primary(), await rights(0, 1, 2)]
      await servesAgain(drill(), () => network.cut(node, ...sides))
      await held.end()
      await expectRefused(held)
      await network.heal(node, ...sides)
      await database.whole()
      await expectRefused(held)
      await held.stop()
    })
  })

  test('PostgreSQL crashes on the primary, and recovers there', async () => {
    const { world, expectWhole, expectRightsEnd } = drill()
    const { database } = world
    await expectWhole('PostgreSQL crashes and recovers', async () => {
      const primary = await database.primary()
      await servesAgain(drill(), () => primary.killPostmaster())
      await expectRightsEnd()
    })
    await database.whole()
  })

  test('the synchronous standby is killed, and another one takes its place', async () => {
    const { world, expectWhole, expectRightsEnd } = drill()
    const { database } = world
    await expectWhole('The synchronous standby is killed', async () => {
      const standby = await database.synchronous()
      await servesAgain(drill(), () => standby.powerOff())
      await expectRightsEnd()
      await standby.powerOn()
      await database.whole()
    })
  })

  test('without both standbys nothing is acknowledged that only one disk has', async () => {
    const { world, expectWhole, expectRightsEnd } = drill()
    const { database } = world
    await expectWhole('Both standbys are down', async () => {
      const standbys = await standbysOf(database)
      await expectNoWrites(drill(), () => ofAll(standbys, host => host.powerOff()))
      await servesAgain(drill(), () => ofAll(standbys, host => host.powerOn()))
      await expectRightsEnd()
      await database.whole()
    })
  })

  test('two members of etcd are down, and the primary goes on', async () => {
    const { world, expectWhole, expectRightsEnd } = drill()
    const { database } = world
    await expectWhole('Two members of etcd are down', async () => {
      const [{ name }, hosts] = [await database.primary(), await standbysOf(database)]
      await servesAgain(drill(), () => ofAll(hosts, host => host.stopEtcd()))
      await wait(outage_ms)
      await expectRightsEnd()
      await servesAgain(drill(), () => ofAll(hosts, host => host.startEtcd()))
      await database.whole()
      expect((await database.primary()).name).toBe(name)
    })
  })

  test('the primary is killed without etcd, and nobody leads until etcd is back', async () => {
    const { world, expectWhole, expectRightsEnd } = drill()
    const { database } = world
    await expectWhole('The primary is killed, etcd is down', async () => {
      const [primary, hosts] = [await database.primary(), await standbysOf(database)]
      await expectNoWrites(drill(), async () => {
        await ofAll(hosts, host => host.stopEtcd())
        await primary.powerOff()
      })
      await servesAgain(drill(), () => ofAll(hosts, host => host.startEtcd()))
      await expectRightsEnd()
      await primary.powerOn()
      await database.whole()
    })
  })
})
