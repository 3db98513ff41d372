/**
 * Sends what is due, in every worker process at once. Urgent lanes are claimed first, then the others by
 * their weights; what is claimed stays small enough to be sent within its lease. Results are recorded many
 * at a time while other messages are on their way.
 */
import type { Loop } from '../../../kernel/surface.ts'
import type { Deps } from '../deps.ts'
import { openBatcher } from './batcher.ts'
import { claimBatched, claimSingle, dueLanes, type Claimed } from './claim.ts'
import { finish } from './finish.ts'
import { markWire } from './mark-wire.ts'
import { prepareMessages, type Ready } from './prepare-messages.ts'
import type { Result } from './result.ts'
import { openSendMessage } from './send-message.ts'

export type Sender = {
  /** There may be something new. */
  poke(): void
}

export type OpenSender = {
  readonly loop: Loop
  close(): Promise<void>
}

const portion = 100
const poll_ms = 500
const finish_max = 200
const weights = [1, 0.6, 0.3, 0.1] as const
const lanes = weights.length
const bulk_lane = lanes - 1

export function openSender(deps: Deps): OpenSender {
  const { kernel } = deps
  const { db, settings, log, fault } = kernel
  const in_flight_max = settings['notifications.in_flight']
  const lease_seconds = settings['notifications.lease_seconds']
  const finisher = openBatcher<Result, boolean>(finish_max, async results => {
    await fault('notifications.before_finish')
    const recorded = await db.tx(tx => finish(tx, deps, results))
    await fault('notifications.after_finish')
    return recorded
  })
  const marker = openBatcher<Claimed, boolean>(finish_max, all => markWire(db, all, lease_seconds))
  const send = openSendMessage({ ...deps, mark: marker.add })
  const flying = new Set<Promise<void>>()
  const under_way = Array.from({ length: lanes }, () => 0)
  const stopping = new AbortController()
  let changed = Promise.withResolvers<boolean>()

  const note = () => {
    changed.resolve(true)
    changed = Promise.withResolvers()
  }
  const record = (result: Result) =>
    finisher.add(result).then(
      () => {},
      (error: unknown) =>
        log.warn({ err: error }, 'a result could not be recorded; its lease ends by itself'),
    )
  const sendOne = async (ready: Ready) => {
    try {
      const result = await send(ready, stopping.signal)
      if (result) await record(result)
    } catch (error) {
      if (!stopping.signal.aborted) {
        log.error({ err: error, intent_id: ready.claimed.intent_id }, 'a message could not be sent')
      }
    }
  }
  const fly = (lane: number, work: Promise<void>) => {
    under_way[lane] = (under_way[lane] ?? 0) + 1
    const all: Promise<void> = work.finally(() => {
      under_way[lane] = (under_way[lane] ?? 1) - 1
      flying.delete(all)
      note()
    })
    flying.add(all)
  }
  const work = async (claimed: readonly Claimed[]) => {
    await fault('notifications.after_claim')
    const { ready, results } = await prepareMessages(deps, claimed)
    for (const one of results) fly(one.claimed.lane, record(one))
    for (const one of ready) fly(one.claimed.lane, sendOne(one))
  }
  const roomFor = (lane: number): number => {
    const taken = under_way.reduce((sum, many) => sum + many, 0)
    const bulk_room =
      in_flight_max * settings['notifications.bulk_share'] - (under_way[bulk_lane] ?? 0)
    const room = Math.min(in_flight_max - taken, lane === bulk_lane ? bulk_room : Infinity)
    return Math.max(0, Math.floor(room))
  }
  /** One round over the lanes; answers how many messages it took. */
  const round = async (): Promise<number> => {
    let took = 0
    for (const { lane, single, batched } of await dueLanes(db)) {
      const share = Math.max(1, Math.ceil(portion * (weights[lane] ?? 1)))
      for (const [due, claim] of [
        [single, claimSingle],
        [batched, claimBatched],
      ] as const) {
        const many = Math.min(share, roomFor(lane))
        if (!due || many === 0) continue
        const claimed = await claim(db, lane, many, lease_seconds)
        took += claimed.length
        if (claimed.length > 0) await work(claimed)
      }
    }
    return took
  }
  return {
    loop: {
      name: 'notifications.send',
      every_ms: 1000,
      run: async signal => {
        signal.addEventListener('abort', () => stopping.abort(), { once: true })
        const ended = new Promise(resolve => {
          signal.addEventListener('abort', resolve, { once: true })
        })
        const deaf = kernel.onWake(note)
        try {
          while (!signal.aborted) {
            const next = changed.promise
            if ((await round()) > 0) continue
            // Full, or nothing is due: until something ends, comes, or becomes due by itself.
            await Promise.race([next, ended, pause(poll_ms)])
          }
        } finally {
          deaf()
        }
        await Promise.allSettled(flying)
      },
    },
    close: async () => {
      stopping.abort()
      await Promise.allSettled(flying)
      await finisher.idle()
    },
  }
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => void setTimeout(resolve, ms).unref())
}
