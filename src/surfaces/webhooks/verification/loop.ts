/** Sends owed challenges as soon as somebody says that there may be some, and looks by itself. */
import { openSleeper } from '../../../kernel/work/sleeper.ts'
import type { Loop } from '../../../kernel/surface.ts'
import type { Deps } from '../deps.ts'
import { sendOwedChallenges } from './send-owed.ts'

const poll_ms = 5000

export function challengeLoop(deps: Deps): Loop {
  return {
    name: 'webhooks.challenges',
    every_ms: 500,
    run: async signal => {
      const sleeper = openSleeper()
      signal.addEventListener('abort', () => sleeper.close(), { once: true })
      const deaf = deps.kernel.onWake(() => sleeper.wake())
      try {
        while (!signal.aborted) {
          await sendOwedChallenges(deps, signal)
          await sleeper.sleep(poll_ms)
        }
      } finally {
        deaf()
      }
    },
  }
}
