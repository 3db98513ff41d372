/** How long another process still accepts the token of a session that has ended. */
import { logIn, type LoggedIn } from '../ground/product.ts'
import type { Section } from '../ground/report.ts'
import { percentile } from '../ground/rounds.ts'

const revocations = 100

export async function revoke(here: string, there: string, who: LoggedIn): Promise<Section> {
  const times_ms: number[] = []
  for (let n = 0; n < revocations; n++) {
    if (!(await logIn(who))) throw new Error('a login failed')
    const headers = { authorization: `Bearer ${who.access_token}` }
    if ((await status(there, headers)) !== 200) throw new Error('the token was not accepted')
    await fetch(`${here}/v1/sessions/${who.session_id}`, { method: 'DELETE', headers })
    const from = performance.now()
    while ((await status(there, headers)) === 200);
    times_ms.push(performance.now() - from)
  }
  const at = (share: number) => percentile(times_ms, share)
  return {
    title: 'A revoked session in another process',
    columns: ['', 'p50 ms', 'p99 ms'],
    rows: [['from the answer to the first 401', at(0.5).toFixed(1), at(0.99).toFixed(1)]],
    verdicts: [
      { says: 'p99', reached: at(0.99), target: 1000, unit: 'ms', wanted: 'at most' },
      { says: 'p50', reached: at(0.5), target: 30, unit: 'ms', wanted: 'at most' },
    ],
    notes: [],
  }
}

async function status(url: string, headers: Record<string, string>): Promise<number> {
  const response = await fetch(`${url}/v1/limits`, { headers })
  await response.arrayBuffer()
  return response.status
}
