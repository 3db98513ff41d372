/**
 * Prepares claimed attempts. One that cannot be prepared, for example because its key is not in the
 * keyring or its data are damaged, is put off until it expires. It does not hold back the others.
 */
import { isUnavailable, parseTime } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { Claimed } from './claim.ts'
import { prepareMessages, type Prepared } from './prepare-messages.ts'
import { resultOf, type Result } from './result.ts'

const put_off_ms = 600_000

export async function prepareEach(deps: Deps, claimed: readonly Claimed[]): Promise<Prepared> {
  try {
    return await prepareMessages(deps, claimed)
  } catch (error) {
    if (isUnavailable(error)) throw error
    const [first, ...others] = claimed
    if (!first || others.length > 0) return await oneByOne(deps, claimed)
    const { tenant_id, intent_id, channel } = first
    deps.kernel.log.error(
      { err: error, tenant_id, intent_id, channel },
      'a notification cannot be prepared, and is put off',
    )
    return { ready: [], results: [putOff(first, deps.kernel.clock.nowMs())] }
  }
}

async function oneByOne(deps: Deps, claimed: readonly Claimed[]): Promise<Prepared> {
  const all: Prepared = { ready: [], results: [] }
  for (const one of claimed) {
    const { ready, results } = await prepareEach(deps, [one])
    all.ready.push(...ready)
    all.results.push(...results)
  }
  return all
}

function putOff(claimed: Claimed, now_ms: number): Result {
  if (parseTime(claimed.expires_at) <= now_ms) {
    return resultOf(claimed, { state: 'skipped', error_code: 'expired' })
  }
  return resultOf(claimed, { state: 'pending', due_at_ms: now_ms + put_off_ms })
}
