/**
 * One leader among all processes gives events their positions. It holds a session lock on the
 * connection that it works on. So a lost connection ends both the work and the leadership, and
 * there are never two leaders. PostgreSQL also ends a session that is silent for six seconds. So a
 * process that is stopped but not dead loses the leadership.
 */
import { logFailure } from '../../database/log-failure.ts'
import { directClient, short_silence_ms, type DirectClient } from '../../database/direct.ts'
import { endWhenSilent } from '../../database/silence.ts'
import type { Fault } from '../../faults.ts'
import { jitter } from '../../ids.ts'
import type { Log } from '../../observability/log.ts'
import { batch_max, lead, sequence } from './assign-positions.ts'
import { openSleeper } from '../../work/sleeper.ts'

export type SequencerOptions = {
  url: string
  application_name: string
  log: Log
  fault: Fault
  /** Called when events got positions and consumers may read them. */
  sequenced(): void
}

const lock_key = 5_330_114
const busy_ms = 250
/**
 * How often the leader polls for work whose notification was lost. PostgreSQL ends a session that
 * is silent for six seconds.
 */
const idle_ms = 3000
const election_ms = 2000
const quiet_rounds_max = 8
/**
 * The pause after a batch of one event, and after a batch of several. Without it each commit is a
 * batch of its own under load, and each batch costs reads and commits of its consumers too. With it
 * checkouts took a sixth less processor time.
 */
const gap_ms = 10
const busy_gap_ms = 20

export class Sequencer {
  private readonly options: SequencerOptions
  private readonly sleeper = openSleeper()
  private finished: Promise<void> | undefined
  private leading = false
  private stopped = false

  constructor(options: SequencerOptions) {
    this.options = options
  }

  /** Called when there may be work. Checks now. */
  poke(): void {
    if (this.leading) this.sleeper.wake()
  }

  start(): void {
    this.finished = this.run()
  }

  async stop(): Promise<void> {
    this.stopped = true
    this.sleeper.close()
    await this.finished
  }

  private async run(): Promise<void> {
    for (let failures = 0; !this.stopped;) {
      const began = performance.now()
      try {
        await this.term()
      } catch (error) {
        if (!this.stopped)
          logFailure(this.options.log, { err: error }, 'sequencing was interrupted')
      }
      failures = performance.now() - began > 10_000 ? 0 : failures + 1
      const wait_ms = Math.min(2000, 50 * 2 ** failures) * (0.5 + jitter())
      await this.sleeper.sleepThrough(wait_ms)
    }
  }

  /** Runs from the candidacy to the end of the leadership. */
  private async term(): Promise<void> {
    const { url, application_name } = this.options
    const client = directClient(url, `${application_name} sequencer`)
    let lost = false
    client.on('end', () => {
      lost = true
      this.sleeper.wake()
    })
    const ended = () => this.stopped || lost
    try {
      await client.connect()
      endWhenSilent(client, short_silence_ms)
      await client.query(`set idle_session_timeout = '6s'; set tcp_keepalives_idle = 5;
        set tcp_keepalives_interval = 5; set tcp_keepalives_count = 2`)
      while (!ended() && !(await elected(client))) {
        await this.sleeper.sleepThrough(election_ms * (0.75 + jitter() / 2))
      }
      if (!ended()) await this.work(client, ended)
    } finally {
      this.leading = false
      await client.end().catch(() => {})
    }
  }

  private async work(client: DirectClient, ended: () => boolean): Promise<void> {
    const state = await lead(client)
    this.leading = true
    this.options.log.info({ position: state.position }, 'this process sequences the events')
    for (let quiet = 0; !ended();) {
      await this.options.fault('kernel.sequencer')
      const count = await sequence(client, state)
      if (count > 0) this.options.sequenced()
      quiet = count > 0 ? 0 : quiet + 1
      if (count === batch_max) continue
      const busy = quiet < quiet_rounds_max || state.gaps.ranges.length > 0
      if (count > 0) await this.sleeper.sleepThrough(count > 1 ? busy_gap_ms : gap_ms)
      await this.sleeper.sleep(busy ? busy_ms : idle_ms)
    }
  }
}

async function elected(client: DirectClient): Promise<boolean> {
  const { rows } = await client.query<{ won: boolean }>('select pg_try_advisory_lock($1) as won', [
    lock_key,
  ])
  return rows[0]?.won ?? false
}
