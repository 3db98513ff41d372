/**
 * Decides which endpoints this process sends to. Endpoints are divided into 64 shards by their id.
 * A process leases its share of the shards, so one row for each shard covers any number of
 * endpoints. The lease time starts before the request for the lease is sent, by the clock of this
 * machine. So this process never believes in a lease that has ended in the database.
 */
import { Type } from 'typebox'
import { sql } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'

const shards_count = 64

const Alive = Type.Object({ senders: Type.Integer() })
const Shard = Type.Object({ shard: Type.Integer() })

export class Shards {
  private readonly db: Kernel['db']
  private readonly owner: string
  private readonly lease_seconds: number
  private readonly until = new Map<number, number>()
  /** The shards to release: each as soon as it has no running request in this process. */
  private readonly leaving = new Set<number>()

  constructor(kernel: Pick<Kernel, 'db' | 'settings'>, owner: string) {
    this.db = kernel.db
    this.owner = owner
    this.lease_seconds = kernel.settings['webhooks.lease_seconds']
  }

  /** Whether new requests may start in this shard. */
  mayBegin(shard: number): boolean {
    return this.owns(shard) && !this.leaving.has(shard)
  }

  owns(shard: number): boolean {
    return (this.until.get(shard) ?? -Infinity) > performance.now()
  }

  owned(): number[] {
    return [...this.until.keys()].filter(shard => this.mayBegin(shard))
  }

  /**
   * Renews leases, takes free shards, and releases the shards beyond its share. `busy` contains the
   * shards with running requests.
   */
  async turn(busy: ReadonlySet<number>): Promise<void> {
    const until = performance.now() + this.lease_seconds * 1000
    const { mine, senders } = await this.renew()
    const share = Math.ceil(shards_count / senders)
    for (const shard of this.until.keys()) if (!mine.has(shard)) this.forget(shard)
    for (const shard of mine) this.until.set(shard, until)
    const surplus = [...mine].filter(shard => !this.leaving.has(shard)).slice(share)
    for (const shard of surplus) this.leaving.add(shard)
    if (mine.size <= share) this.leaving.clear()
    const gone = [...this.leaving].filter(shard => !busy.has(shard))
    for (const shard of gone) this.forget(shard)
    if (gone.length > 0) await this.letGo(gone)
    const wanted = share - mine.size
    if (wanted <= 0) return
    for (const shard of await this.take(wanted)) this.until.set(shard, until)
  }

  /** Releases all shards immediately. */
  async release(): Promise<void> {
    const mine = [...this.until.keys()]
    this.until.clear()
    await this.letGo(mine)
    await this.db.run(sql`delete from webhooks.senders where id = ${this.owner}`)
  }

  private forget(shard: number): void {
    this.until.delete(shard)
    this.leaving.delete(shard)
  }

  private async renew(): Promise<{ mine: Set<number>; senders: number }> {
    return this.db.tx(async tx => {
      await tx.run(sql`
        insert into webhooks.senders (id, leased_until)
        values (${this.owner}, now() + make_interval(secs => ${this.lease_seconds}))
        on conflict (id) do update set leased_until = excluded.leased_until`)
      const { senders } = await tx.one(
        Alive,
        sql`select count(*)::int as senders from webhooks.senders where leased_until > now()`,
      )
      const rows = await tx.many(
        Shard,
        sql`
          update webhooks.sender_shards
          set leased_until = now() + make_interval(secs => ${this.lease_seconds})
          where owner = ${this.owner} returning shard`,
      )
      return { mine: new Set(rows.map(row => row.shard)), senders }
    })
  }

  private async take(wanted: number): Promise<number[]> {
    const rows = await this.db.many(
      Shard,
      sql`
        update webhooks.sender_shards
        set owner = ${this.owner},
          leased_until = now() + make_interval(secs => ${this.lease_seconds})
        where shard in (
          select shard from webhooks.sender_shards
          where owner is null or leased_until <= now()
          order by shard limit ${wanted}
          for update skip locked)
        returning shard`,
    )
    return rows.map(row => row.shard)
  }

  private async letGo(shards: readonly number[]): Promise<void> {
    await this.db.run(sql`
      update webhooks.sender_shards set owner = null, leased_until = null
      where owner = ${this.owner} and shard = any (${shards}::smallint[])`)
  }
}
