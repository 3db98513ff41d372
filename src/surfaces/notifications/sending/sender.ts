/**
 * Sends due messages in every worker process. Urgent lanes are claimed first, then the others by
 * their weights. A claim is small enough to be sent within its lease. Results are recorded many at
 * a time while other messages are being sent.
 */
import { gather, type Loop, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { send_topic, sending_activity } from '../topics.ts'
import { claim, dueLanes, somethingDue, type Claimed } from './claim.ts'
import { finish } from './finish.ts'
import { openFlights, type Flights } from './flights.ts'
import { markWire } from './mark-wire.ts'
import { prepareEach } from './prepare-each.ts'
import type { Ready } from './prepare-messages.ts'
import type { Result } from './result.ts'
import { openSendMessage } from './send-message.ts'

export type OpenSender = {
  readonly loop: Loop
  close(): Promise<void>
}

const portion = 100
const finish_max = 200
/** The other lanes, high, normal and bulk, share a claim 6:3:1 if they have due messages. */
const weights = [0, 6, 3, 1] as const

export function openSender(deps: Deps): OpenSender {
  const { kernel } = deps
  const { db, settings } = kernel
  const lease_seconds = settings['notifications.lease_seconds']
  const flights = openFlights(settings)
  const stopping = new AbortController()
  const record = openFinisher(deps)
  const mark = gather<Claimed, boolean>({ flights_max: 1, items_max: portion, rest_ms: 4 }, all =>
    markWire(db, all, lease_seconds),
  )
  const send = openSendMessage({ ...deps, mark })
  const sendOne = async (ready: Ready) => {
    try {
      const result = await send(ready, stopping.signal)
      if (result) await record(result)
    } catch (error) {
      const { intent_id } = ready.claimed
      if (!stopping.signal.aborted) {
        kernel.log.error({ err: error, intent_id }, 'a message could not be sent')
      }
    }
  }
  const work = async (claimed: readonly Claimed[]) => {
    await kernel.fault('notifications.after_claim')
    const { ready, results } = await prepareEach(deps, claimed)
    for (const one of results) flights.begin(one.claimed.lane, record(one))
    for (const one of ready) flights.begin(one.claimed.lane, sendOne(one))
  }
  return {
    loop: {
      name: send_topic,
      every_ms: 60_000,
      due: somethingDue,
      run: async signal => {
        const stop = () => {
          stopping.abort()
          flights.note()
        }
        signal.addEventListener('abort', stop, { once: true })
        const off = kernel.onWake(flights.note, [send_topic])
        try {
          while (!signal.aborted) {
            const changed = flights.changed()
            // There is no room or no due message: wait until a message ends, arrives, or becomes
            // due.
            if ((await round(deps, flights, work)) === 0) await changed
          }
        } finally {
          off()
        }
        await flights.landed()
      },
    },
    close: async () => {
      stopping.abort()
      await flights.landed()
    },
  }
}

/** Records results, many in one transaction. */
function openFinisher({ kernel: { db, fault, log } }: Deps) {
  const record = gather<Result, undefined>(
    { flights_max: 1, items_max: finish_max, rest_ms: 20 },
    async results => {
      await fault('notifications.before_finish')
      await db.tx(tx => finish(tx, results))
      await fault('notifications.after_finish')
      return results.map(() => undefined)
    },
  )
  return (result: Result) =>
    record(result).catch((error: unknown) =>
      log.warn({ err: error }, 'a result could not be recorded; its lease ends by itself'),
    )
}

type Work = (claimed: readonly Claimed[]) => Promise<void>

/** One round over the lanes. Returns how many messages it claimed. */
async function round({ kernel, jobs }: Deps, flights: Flights, work: Work): Promise<number> {
  const lease_seconds = kernel.settings['notifications.lease_seconds']
  const fence = (tx: Tx) => jobs.pauseFence(tx, sending_activity)
  let took = 0
  const due = (await dueLanes(kernel.db)).filter(one => one.single || one.batched)
  const whole = due.reduce((sum, { lane }) => sum + (weights[lane] ?? 0), 0)
  for (const { lane, single, batched } of due) {
    const share = lane === 0 ? portion : Math.ceil((portion * (weights[lane] ?? 1)) / whole)
    const sources = [
      ...(single ? ['single' as const] : []),
      ...(batched ? ['batched' as const] : []),
    ]
    for (const of of sources) {
      const many = Math.min(share, flights.roomFor(lane))
      if (many === 0) continue
      const claimed = await claim(kernel.db, fence, { of, lane, many, lease_seconds })
      took += claimed.length
      if (claimed.length > 0) await work(claimed)
    }
  }
  return took
}
