/**
 * The operations of the platform that a call offers to its model. Each is checked when the call is
 * accepted, so a caller learns of a tool that is missing or not allowed, and no model invents its result.
 */
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { Content, Operations } from '../operations/contents.ts'
import type { Tool } from '../providers/form.ts'
import type { Kernel } from '../settings.ts'
import { callerOf, holds } from './acting.ts'
import type { Principal } from '#dodeca/kernel'

const unattended = 'inference.tools.unattended'
const approves = 'kernel.tools.approve'

export function noTool(pointer: string, detail: string) {
  const errors = [{ location: 'body' as const, pointer, constraint: 'tools' }]
  return problem('validation_failed', { detail, errors })
}

export function operationTool(
  { tools }: Pick<Kernel, 'tools'>,
  name: string,
  pointer: string,
): Tool {
  const tool = tools().get(name)
  if (!tool) {
    throw noTool(
      pointer,
      `Models reach no operation that is named ${name}. /docs/list-of-tools has those that they reach, and says why the others are left out. Offer a function of yours instead.`,
    )
  }
  // A model that calls models would spend without a bound.
  if (tool.surface === 'inference') throw noTool(pointer, 'No model may call models. Leave it out.')
  return { name, description: tool.says, schema: tool.input, strict: false }
}

export function stepsMax({ settings }: Pick<Kernel, 'settings'>, wanted = 1): void {
  const most = settings['inference.tool_steps_max']
  if (wanted <= most) return
  throw noTool('/parameters/max_steps', `A call has at most ${most} steps. Ask for fewer.`)
}

export type Asking = {
  readonly principal: Principal
  readonly ip: string
  readonly keyed: boolean
  readonly store: boolean
}

/** The content as it is stored, or the refusal. Without operations and approvals nothing is asked. */
export async function admitTools(
  deps: Pick<Deps, 'kernel' | 'people'>,
  content: Content,
  asking: Asking | undefined,
): Promise<Content> {
  const { operations = {}, approvals = [] } = content
  const names = Object.keys(operations)
  if (names.length === 0 && approvals.length === 0) return content
  if (!asking) {
    throw noTool(
      '/parameters/tools',
      'Operations are performed only in a call of your own request.',
    )
  }
  const { principal, ip } = asking
  for (const operation of names) {
    const refusal = await deps.kernel.refusal({ operation, principal })
    if (refusal) throw refusal
  }
  if (approvals.some(one => one.approve)) await requireApprover(deps, principal)
  const attended = await attend(deps, operations, asking)
  const caller = callerOf(principal, ip)
  return { ...content, ...(names.length === 0 ? {} : { operations: attended }), caller }
}

/** The yes of a program is no one's, unless its key was made to say it. */
async function requireApprover(
  deps: Pick<Deps, 'kernel' | 'people'>,
  principal: Principal,
): Promise<void> {
  if (principal.kind === 'account' || (await holds(deps, principal, approves))) return
  throw problem('permission_denied', {
    detail: `This waits for a person. An API key may approve it only with the permission \`${approves}\`.`,
    more: { permission: approves },
  })
}

/** Who may not write unattended is asked, whatever the call says. */
async function attend(
  deps: Pick<Deps, 'kernel' | 'people'>,
  operations: Operations,
  { principal, keyed, store }: Asking,
): Promise<Operations> {
  const modes = new Map(
    Object.keys(operations).map(name => [name, deps.kernel.tools().get(name)?.mode]),
  )
  const writes = Object.entries(operations).filter(([name]) => modes.get(name) === 'write')
  const wanted = writes.some(([, approval]) => approval === 'none')
  const may = wanted && (await mayWriteUnattended(deps, principal))
  const made = Object.fromEntries(
    Object.entries(operations).map(([name, approval]) => [name, may ? approval : 'ask'] as const),
  )
  const asks = [...modes].some(
    ([name, mode]) => mode === 'confirm' || (mode === 'write' && made[name] === 'ask'),
  )
  // A client that repeats the request by itself would begin a second call.
  if (may && !keyed) throw problem('idempotency_key_missing')
  if (asks && !store) {
    throw noTool(
      '/parameters/store',
      'A tool that asks you needs a stored call, because your answer continues it. Leave `store` out.',
    )
  }
  return made
}

export async function mayWriteUnattended(
  deps: Pick<Deps, 'kernel' | 'people'>,
  principal: Principal,
): Promise<boolean> {
  return await holds(deps, principal, unattended)
}
