/**
 * Places text of lower trust in a prompt. Instructions of a tenant are content of the user role
 * between markers that are random for each call. They are never joined to the server prompt. The
 * markers are derived from the operation, so that a retry sends the same bytes.
 */
import type { Kernel } from '../settings.ts'
import { itemsOf, message, type Input } from '../providers/form.ts'
import type { Call } from '../operations/call.ts'
import { aroundInput } from '../tools/steps.ts'

type Placed = Pick<Call, 'id' | 'prompt' | 'content' | 'before' | 'answered' | 'steps'>

export function placeInput(
  { keys }: Pick<Kernel, 'keys'>,
  { id, prompt, content: { input, instructions }, ...conversation }: Placed,
): Input {
  const said = conversationOf(input, conversation)
  if (instructions === undefined) return said
  // Without a server prompt the caller's own text is the system's.
  if (prompt === 'none@1') return [message('system', instructions), ...itemsOf(said)]
  const code = keys.fingerprint('inference.markers', id).toString('base64url').slice(0, 16)
  const placed = `<<INSTRUCTIONS ${code}>>\n${instructions}\n<<END ${code}>>`
  return [message('user', placed), ...itemsOf(said)]
}

function conversationOf(
  input: Input,
  conversation: Pick<Call, 'before' | 'answered' | 'steps'>,
): Input {
  const { before, after } = aroundInput(conversation)
  if (before.length === 0 && after.length === 0) return input
  return [...before, ...itemsOf(input), ...after]
}

/** A stable value that does not reveal to the provider which user it stands for. */
export function safetyIdentifier(
  { keys }: Pick<Kernel, 'keys'>,
  tenant_id: string,
  principal_id: string,
): string {
  const print = keys.fingerprint('inference.safety_identifier', `${tenant_id}|${principal_id}`)
  return `u_${print.toString('base64url').slice(0, 40)}`
}

/** A key of the caller is the caller's tenant's alone. */
export function cacheKey(
  { keys }: Pick<Kernel, 'keys'>,
  { prompt, tenant_id, parameters }: Pick<Call, 'prompt' | 'tenant_id' | 'parameters'>,
): string {
  const { prompt_cache_key: own } = parameters
  if (own === undefined) return prompt
  return keys.fingerprint('inference.prompt_cache', `${tenant_id}|${own}`).toString('base64url')
}
