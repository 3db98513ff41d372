/**
 * The yes to one call. The client asks its person, and sends the call again with the answer and with
 * what it got here: sealed for this caller, this operation and these arguments, for a short time. Its
 * nonce is the Idempotency-Key of the call, so a yes that is sent twice acts once.
 */
import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { newId, problemsOf, type Kernel, type Principal } from '#dodeca/kernel'
import type { Arguments } from '../../kernel/http/tools/arguments.ts'
import type { Operation } from '../../kernel/http/tools/operations.ts'
import { isMembers } from './rpc.ts'

type Needs = Pick<Kernel, 'keys' | 'clock' | 'settings'>
type Asked = {
  readonly operation: Operation
  readonly principal: Principal
  readonly arguments: Arguments
}

export const approvalErrors = {
  approval_invalid: {
    status: 409,
    title: 'The approval is not for this call',
    cause:
      'The approval is older than `kernel.tool_approval_seconds`, or was given for another caller, tool or arguments.',
    cure: 'Call the tool again without `requestState`, and ask the person again.',
  },
  approval_refused: {
    status: 409,
    title: 'The person did not approve the call',
    cause: 'The person said no, or closed the question. Nothing was done.',
    cure: 'Do not repeat the call. Ask the person what to do instead.',
  },
  approval_too_long: {
    status: 422,
    title: 'The arguments are too long to be approved',
    cause: 'A person must see all of what they approve, and it has more than 4,000 characters.',
    cure: 'Send less in one call.',
  },
} as const
const problem = problemsOf(approvalErrors)

const shown_max = 4000
const use = 'tool_approval'

type Sealed = {
  readonly operation: string
  readonly digest: string
  readonly session_id: string | null
  readonly tenant_id: string
  readonly nonce: string
  readonly until: number
}

/** What the client gets to ask with. */
export function askFor({ keys, clock, settings }: Needs, asked: Asked): Record<string, unknown> {
  const { operation, principal } = asked
  const shown = visible(JSON.stringify(asked.arguments, null, 2))
  if (shown.length > shown_max) throw problem('approval_too_long')
  const sealed: Sealed = {
    operation: operation.name,
    digest: digestOf(asked.arguments),
    session_id: principal.session_id,
    tenant_id: principal.tenant_id,
    nonce: newId(),
    until: clock.nowSeconds() + settings['kernel.tool_approval_seconds'],
  }
  const state = keys.seal(use, Buffer.from(JSON.stringify(sealed)), placeOf(principal))
  return {
    resultType: 'input_required',
    inputRequests: {
      approval: {
        method: 'elicitation/create',
        params: {
          mode: 'form',
          message: `${operation.says}\n\n${operation.name} ${shown}`,
          requestedSchema: {
            type: 'object',
            properties: { approve: { type: 'boolean', title: 'Do this', default: false } },
            required: ['approve'],
          },
        },
      },
    },
    requestState: state.toString('base64url'),
  }
}

/** Returns the key of the approved call. Throws unless exactly this call was approved, in time. */
export function approvedKey(
  needs: Needs,
  asked: Asked,
  state: unknown,
  responses: unknown,
): string {
  const { principal, operation } = asked
  const sealed = open(needs, principal, state)
  const fits =
    sealed?.operation === operation.name &&
    sealed.digest === digestOf(asked.arguments) &&
    sealed.session_id === principal.session_id &&
    sealed.tenant_id === principal.tenant_id &&
    sealed.until > needs.clock.nowSeconds()
  if (!fits) throw problem('approval_invalid')
  const answer = isMembers(responses) ? responses['approval'] : undefined
  const content = isMembers(answer) ? answer['content'] : undefined
  const says_yes = isMembers(answer) && answer['action'] === 'accept'
  if (!says_yes || !isMembers(content) || content['approve'] !== true) {
    throw problem('approval_refused')
  }
  return `tool-${sealed.nonce}`
}

function open({ keys }: Needs, principal: Principal, state: unknown): Sealed | undefined {
  if (typeof state !== 'string' || state.length > 2000) return undefined
  try {
    const sealed = keys.open(use, Buffer.from(state, 'base64url'), placeOf(principal))
    return JSON.parse(sealed.toString()) as Sealed
  } catch {
    // Not ours, or not of this caller.
    return undefined
  }
}

/** No other caller can open it. */
function placeOf({ id }: Principal) {
  return { table: 'kernel.tools', id, column: 'approval' }
}

function digestOf(given: Arguments): string {
  return hash('sha256', canonicalize(given) ?? '', 'base64url')
}

/** Characters that are not seen, or that change the order of others, are shown by their number. */
function visible(text: string): string {
  return text.replaceAll(
    /[^\P{C}\n]|[\u2028\u2029\u{E0000}-\u{E007F}]/gu,
    one => `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
}
