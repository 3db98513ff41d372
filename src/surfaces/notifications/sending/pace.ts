/**
 * Rates that hold over all processes: messages of a tenant, mails to a domain. A process takes a tenth of a
 * second's share from the kernel's bucket, for all names that need one in one statement, and its messages
 * use it up in their order. So the rate may be exceeded by one share for each process, and a rate that is
 * never reached costs ten statements a second.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { gather, type Bucket } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'

/**
 * Resolves with 0 if the message may be sent, or with the milliseconds after which to try again.
 */
export type Pace = (
  kind: 'tenant' | 'domain',
  of: string,
  per_second: number,
  signal: AbortSignal,
) => Promise<number>

type Line = { credit: number; taken_at: number; waiting: number; taking: Promise<void> | null }

const shares = 10
const share_ms = 1000 / shares
const longest_wait_ms = 2000
const names_max = 20_000
const buckets_max = 500

export function openPace({ db, takeEach }: Pick<Kernel, 'db' | 'takeEach'>): Pace {
  const lines = new Map<string, Line>()
  const takes = gather<Bucket, boolean>({ flights_max: 1, items_max: buckets_max }, all =>
    takeEach(db, all),
  )
  return async (kind, of, per_second, signal) => {
    const line = lineOf(lines, `${kind} ${of}`)
    const ahead_ms = (line.waiting * 1000) / per_second
    if (ahead_ms > longest_wait_ms) return ahead_ms
    line.waiting++
    try {
      for (const until = performance.now() + longest_wait_ms; ;) {
        // An unused share of an earlier second is not added to the share of this second.
        if (performance.now() - line.taken_at > 1000) line.credit = 0
        if (line.credit >= 1) {
          line.credit--
          return 0
        }
        line.taking ??= takeShare(line, takes, { kind, of, per_second })
        await line.taking
        if (line.credit >= 1) continue
        if (signal.aborted || performance.now() > until) return longest_wait_ms
        await wait(share_ms)
      }
    } finally {
      line.waiting--
    }
  }
}

function lineOf(lines: Map<string, Line>, name: string): Line {
  const found = lines.get(name) ?? { credit: 0, taken_at: 0, waiting: 0, taking: null }
  if (lines.size > names_max) {
    for (const [key, { waiting }] of lines) if (waiting === 0) lines.delete(key)
  }
  lines.set(name, found)
  return found
}

/** For a slow rate, a share is one message, and the bucket holds one. */
async function takeShare(
  line: Line,
  take: (bucket: Bucket) => Promise<boolean>,
  { kind, of, per_second }: { kind: string; of: string; per_second: number },
): Promise<void> {
  const share = Math.max(1, per_second / shares)
  const many = Math.max(1, Math.floor(per_second / share))
  const bucket = {
    name: `notifications.${kind}`,
    of,
    many,
    per_seconds: many * (share / per_second),
  }
  try {
    if (!(await take({ ...bucket, exact: true }))) return
    line.credit += share
    line.taken_at = performance.now()
  } finally {
    line.taking = null
  }
}
