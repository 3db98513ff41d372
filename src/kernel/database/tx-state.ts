/**
 * The state of one attempt of a transaction: whether it has begun or ended, and its buffered events
 * and audit records.
 */
import type pg from 'pg'
import type { AuditDraft, BufferedEvent, Isolation } from './drafts.ts'
import { SqlState } from './failures.ts'
import type { Answer } from './batch.ts'
import { TxSender } from './send.ts'
import { allowSilence } from './silence.ts'
import { compile, sql, type Sql } from './sql.ts'

const commit = compile(sql`commit`)
const begin = {
  'read committed': compile(sql`begin`),
  'repeatable read': compile(sql`begin isolation level repeatable read`),
  serializable: compile(sql`begin isolation level serializable`),
} as const

type Last = {
  readonly statement: Sql
  readonly answered: ((answer: Answer) => void) | undefined
  readonly refused: ((error: unknown) => unknown) | undefined
}

export class TxState {
  readonly events: BufferedEvent[] = []
  readonly acts: AuditDraft[] = []
  readonly last: Last[] = []
  readonly topics = new Set<string>()
  readonly after: ((() => void) | (() => Promise<void>))[] = []
  ended = false
  emitting = false
  unhurried = false
  streams = 0
  private begun: Promise<unknown> | undefined
  private readonly client: pg.PoolClient
  private readonly sender: TxSender
  private readonly isolation: Isolation

  constructor(client: pg.PoolClient, isolation: Isolation = 'read committed') {
    this.client = client
    this.sender = new TxSender(client)
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

  async ask(statement: Sql): Promise<Answer> {
    this.live()
    // BEGIN is sent but not awaited, so that the first statement follows it in the same packet.
    if (!this.begun) {
      this.begun = this.sender.send(begin[this.isolation])
      this.begun.catch(() => {})
    }
    try {
      return await this.sender.send(compile(statement))
    } catch (error) {
      throw SqlState.from(error)
    }
  }

  async liftLimits(): Promise<void> {
    this.live().unhurried = true
    allowSilence(this.client, true)
    await this.ask(sql`set local statement_timeout = 0`)
    await this.ask(sql`set local lock_timeout = 0`)
  }

  async commit(outbox: readonly Sql[]): Promise<void> {
    if (!this.begun && outbox.length === 0 && this.last.length === 0) return
    const sent: Promise<unknown>[] = outbox.map(statement => this.ask(statement))
    for (const one of this.last) sent.push(this.askLast(one))
    this.ended = true
    const committed = this.sender.send(commit)
    this.sender.flush()
    const settled = await Promise.allSettled([this.begun, ...sent, committed])
    const failed = settled.find(one => one.status === 'rejected')
    if (failed) throw failed.reason
    // COMMIT of a failed transaction returns ROLLBACK without an error.
    if ((await committed).tag !== 'COMMIT') throw new Error('the transaction was rolled back')
  }

  private async askLast({ statement, answered, refused }: Last): Promise<void> {
    try {
      const answer = await this.ask(statement)
      answered?.(answer)
    } catch (error) {
      throw refused ? refused(error) : error
    }
  }

  /** Returns the error that made the connection unusable, or undefined. */
  async rollback(cause: unknown): Promise<Error | undefined> {
    this.ended = true
    if (!this.begun) return undefined
    this.sender.flush()
    try {
      await this.client.query('rollback')
      return undefined
    } catch (error) {
      return error instanceof Error ? error : new Error('rollback failed', { cause })
    }
  }
}
