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
  private begun: Promise<unknown> | undefined
  private names = 0
  /** The open savepoint. Statements outside it wait for its end, or they would fail with it. */
  private open: Promise<undefined> | undefined
  /** What this is a part of, if it has a savepoint. */
  private readonly parent: TxState | undefined
  private readonly client: pg.PoolClient
  private readonly sender: TxSender
  private readonly isolation: Isolation

  constructor(client: pg.PoolClient, isolation: Isolation = 'read committed', parent?: TxState) {
    this.client = client
    this.sender = parent?.sender ?? new TxSender(client)
    this.isolation = isolation
    this.parent = parent
  }

  /**
   * Throws after the end of the transaction, because an event that is emitted then would be lost
   * silently.
   */
  live(): this {
    if (this.ended) throw new Error('a transaction was used after its end')
    this.parent?.live()
    return this
  }

  /** A name that no cursor and no savepoint of the transaction has. */
  newName(kind: string): ReturnType<typeof sql.id> {
    return this.parent?.newName(kind) ?? sql.id(`${kind}_${++this.names}`)
  }

  /**
   * Runs a part of the transaction that may fail alone. Then neither its rows nor its events stay,
   * and the transaction can go on. Parts that are begun at the same time run one after the other.
   */
  async savepoint<T>(work: (part: TxState) => Promise<T>): Promise<T> {
    const before = this.open
    const mine = Promise.withResolvers<undefined>()
    this.open = mine.promise
    await before
    const part = new TxState(this.client, this.isolation, this)
    const name = this.newName('savepoint')
    try {
      // Not awaited, so that the first statement follows it in the same packet.
      this.send(sql`savepoint ${name}`).catch(() => {})
      const result = await work(part).finally(() => {
        part.ended = true
      })
      await this.send(sql`release savepoint ${name}`)
      this.join(part)
      return result
    } catch (error) {
      // If the connection is broken, the next statement says so.
      await this.send(sql`rollback to savepoint ${name}`).catch(() => {})
      throw error
    } finally {
      if (this.open === mine.promise) this.open = undefined
      mine.resolve(undefined)
    }
  }

  private join({ events, acts, last, topics, after, emitting }: TxState): void {
    this.events.push(...events)
    this.acts.push(...acts)
    this.last.push(...last)
    for (const topic of topics) this.topics.add(topic)
    this.after.push(...after)
    this.emitting ||= emitting
  }

  ask(statement: Sql): Promise<Answer> {
    return this.open ? this.open.then(() => this.send(statement)) : this.send(statement)
  }

  private async send(statement: Sql): Promise<Answer> {
    this.live()
    if (this.parent) return await this.parent.send(statement)
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
    for (let state = this.parent; state; state = state.parent) state.unhurried = true
    allowSilence(this.client, true)
    await this.ask(sql`set local statement_timeout = 0`)
    await this.ask(sql`set local lock_timeout = 0`)
  }

  async commit(outbox: readonly Sql[]): Promise<void> {
    while (this.open) await this.open
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
