/**
 * The state of one attempt of a transaction: whether it has begun or ended, and its buffered events
 * and audit records.
 */
import type pg from 'pg'
import type { AuditDraft, BufferedEvent, Isolation } from './drafts.ts'
import { SqlState } from './failures.ts'
import { send } from './send.ts'
import { compile, type Sql } from './sql.ts'

export class TxState {
  readonly events: BufferedEvent[] = []
  readonly acts: AuditDraft[] = []
  readonly last: Sql[] = []
  readonly topics = new Set<string>()
  readonly after: ((() => void) | (() => Promise<void>))[] = []
  ended = false
  streams = 0
  private begun: Promise<unknown> | undefined
  private readonly client: pg.PoolClient
  private readonly isolation: Isolation | undefined

  constructor(client: pg.PoolClient, isolation: Isolation | undefined) {
    this.client = client
    this.isolation = isolation
  }

  /**
   * Throws after the end of the transaction, because an event that is emitted then would be lost
   * silently.
   */
  live(): this {
    if (this.ended) throw new Error('a transaction was used after its end')
    return this
  }

  async ask(statement: Sql): Promise<pg.QueryResult> {
    this.live()
    // BEGIN is sent but not awaited, so that the first statement follows it in the same packet.
    if (!this.begun) {
      this.begun = send(
        this.client,
        this.isolation ? `begin isolation level ${this.isolation}` : 'begin',
      )
      this.begun.catch(() => {})
    }
    try {
      return await send(this.client, compile(statement))
    } catch (error) {
      throw SqlState.from(error)
    }
  }

  async commit(outbox: readonly Sql[]): Promise<void> {
    if (!this.begun && outbox.length === 0 && this.last.length === 0) return
    const sent = [...outbox, ...this.last].map(statement => this.ask(statement))
    this.ended = true
    const committed = send(this.client, 'commit')
    const settled = await Promise.allSettled([this.begun, ...sent, committed])
    const failed = settled.find(one => one.status === 'rejected')
    if (failed) throw failed.reason
    // COMMIT of a failed transaction returns ROLLBACK without an error.
    if ((await committed).command !== 'COMMIT') throw new Error('the transaction was rolled back')
  }

  /** Returns the error that made the connection unusable, or undefined. */
  async rollback(cause: unknown): Promise<Error | undefined> {
    this.ended = true
    if (!this.begun) return undefined
    try {
      await this.client.query('rollback')
      return undefined
    } catch (error) {
      return error instanceof Error ? error : new Error('rollback failed', { cause })
    }
  }
}
