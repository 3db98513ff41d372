/**
 * The keys that sign access tokens. Normally a new key replaces the old key gradually. After a leak
 * the new key is used immediately, and the old keys are removed.
 */
import { administering } from './administration.ts'
import type { Command } from './command.ts'
import { actor } from './offline.ts'

export const keysRotateSigning: Command = {
  words: 'keys rotate signing',
  surface: 'identity',
  summary: 'Create a new key that signs access tokens',
  options: {
    revoke: {
      type: 'boolean',
      says: 'Drop all other keys at once: clients must refresh their tokens',
    },
  },
  run: async call => {
    const mode = call.flag('revoke') ? 'revoke' : 'graceful'
    const rotated = await administering(call, {}, identity =>
      identity.rotateSigningKey(mode, actor()),
    )
    const { kid } = rotated
    call.terminal.answer(
      rotated,
      mode === 'revoke'
        ? [
            `The key ${kid} signs from now on. Tokens that another key signed are refused.`,
            'Running processes use it within a second. Clients have to refresh their tokens.',
          ]
        : [
            `The key ${kid} is published within seconds and signs in ten minutes, when all processes know it.`,
            'Tokens stay valid. A running worker makes the switch.',
          ],
    )
  },
}
