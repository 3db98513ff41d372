/**
 * Limits index scans that are usually cheap but slow while old rows cannot be removed. After a scan
 * that took longer than 20 ms, the next scan waits ten times the time above these 20 ms.
 */
const usual_ms = 20
const rest_factor = 10

export type Rests = {
  rested(now_ms: number): boolean
  ran(began_ms: number, ended_ms: number): void
}

export function openRests(): Rests {
  let until_ms = Number.NEGATIVE_INFINITY
  return {
    rested: now_ms => now_ms >= until_ms,
    ran: (began_ms, ended_ms) => {
      until_ms = ended_ms + rest_factor * Math.max(0, ended_ms - began_ms - usual_ms)
    },
  }
}
