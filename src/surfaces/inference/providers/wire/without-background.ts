/** The members of a provider whose protocol has no background responses and no embeddings. */
import { unable } from '../failures.ts'
import type { Lines } from '../lines.ts'
import type { Provider } from '../provider.ts'

type Without = Omit<Provider, 'name' | 'kind' | 'has' | 'complete'>

export function withoutBackground(lines: Lines): Without {
  const absent = () => Promise.reject(unable('protocol'))
  return {
    has_background: false,
    health: lines.health,
    close: lines.close,
    background: absent,
    retrieve: absent,
    cancel: absent,
    embed: absent,
    verifyWebhook: () => Promise.resolve({ refused: 'signature_invalid' }),
  }
}
