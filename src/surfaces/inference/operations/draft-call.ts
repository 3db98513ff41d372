/**
 * Prepares a new call before its transaction begins: counts tokens, chooses deployments, checks the
 * policy and seals the input. It holds no connection, because a long prompt takes time.
 */
import type { Principal, RequestKey } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { findCandidates } from '../models/find-candidates.ts'
import { prompts, type PromptVersion } from '../prompts/prompts.ts'
import { decideOn } from '../safety/policy.ts'
import { bytesOf, filesIn, itemsOf, textIn, type Item } from '../providers/form.ts'
import { checkFiles } from './attachments.ts'
import { admitTools, type Asking } from '../tools/offer.ts'
import type { Call, Parameters, Workload } from './call.ts'
import { readChain } from './chain.ts'
import { checkConversation } from './check-conversation.ts'
import { sealContent, type Content, type SealedContent } from './contents.ts'
import { referFiles } from './files.ts'
import { restoreThoughts } from './thoughts.ts'
import { countTokens } from './tokens.ts'

export type NewCall = {
  readonly tenant_id: string
  readonly actor_id: string
  /** Of a narrow session. */
  readonly scope?: Principal['scope'] | undefined
  readonly key?: RequestKey | null
  readonly model: string
  readonly content: Content
  readonly parameters: Omit<Parameters, 'max_output_tokens' | 'keyed' | 'deadline_ms'> & {
    readonly max_output_tokens?: number
    /** Without a wish of the caller, if it is not the usual one. */
    readonly max_output_default?: number
  }
  readonly prompt: PromptVersion
  readonly workload: Workload
  readonly class: Call['class']
  readonly capability?: readonly string[]
  readonly store?: boolean
  /** The call that this one continues. */
  readonly previous_id?: string
  /** The member of the request that contains the conversation. */
  readonly pointer?: string
  readonly metadata?: Readonly<Record<string, string>>
  readonly tags?: readonly string[]
  readonly deadline_ms: number
  /** For whom operations of the platform may be performed. */
  readonly asking?: Pick<Asking, 'principal' | 'ip'>
  readonly parent_id?: string
  /** A job runs it later. */
  readonly waits?: true
}

export type CallDraft = Omit<NewCall, 'parameters' | 'previous_id' | 'asking'> &
  Pick<Call, 'before' | 'candidates' | 'decided' | 'estimated_input' | 'store'> & {
    readonly parameters: Parameters
    readonly previous_id: string | null
    /** Null if no other process and no retry can need the content. */
    readonly input: SealedContent | null
  }

const max_output_default = 1024

export async function draftCall(deps: Deps, asked: NewCall): Promise<CallDraft> {
  const { tenant_id, prompt, store = true, previous_id = null } = asked
  const { db } = deps.kernel
  const said = await restoreThoughts(db, deps.kernel, asked, asked.content.input)
  const input = await referFiles(deps, asked, said)
  const { asking, ...rest } = asked
  const keyed = Boolean(asked.key) || asked.waits === true
  const offered = { ...asked.content, input }
  const content = await admitTools(deps, offered, asking && { ...asking, keyed, store })
  const before = await readChain(db, deps.kernel, asked, previous_id)
  const pointer = asked.pointer ?? '/input'
  checkConversation([...before, ...itemsOf(input)], pointer, content.approvals)
  if (typeof input !== 'string') {
    checkFiles(before, input, { is_kept: store || keyed, pointer })
  }
  const text = textOf(content)
  const estimated_input = await estimateInput(prompt, content, before)
  const { max_output_tokens: wanted, max_output_default: usual, ...parameters } = asked.parameters
  const candidates = await findCandidates(deps, tenant_id, {
    model: asked.model,
    capability: asked.capability ?? capabilityOf({ ...asked, before }),
    input_tokens: estimated_input,
    max_output: wanted ?? 1,
    ...(content.caller ? { may: one => one.runs_tools } : {}),
  })
  const [first] = candidates
  const room = first.max_context - estimated_input
  const max_output_tokens = wanted ?? Math.min(usual ?? max_output_default, first.max_output, room)
  const is_needed = store || keyed
  return {
    ...rest,
    content,
    store,
    previous_id,
    before,
    estimated_input,
    candidates,
    decided: decideOn(deps.policy, 'input', text),
    parameters: {
      ...parameters,
      max_output_tokens,
      keyed: Boolean(asked.key),
      deadline_ms: asked.deadline_ms,
    },
    input: is_needed ? sealContent(deps.kernel, store, JSON.stringify(content)) : null,
  }
}

/** The tokens that are reserved for an input. */
export async function estimateInput(
  prompt: PromptVersion,
  content: Content,
  before: readonly Item[],
): Promise<number> {
  const { input, tools } = content
  const rest = [...before.map(textIn), tools ? JSON.stringify(tools) : ''].join('\n')
  const said = (await countTokens(textOf(content))) + (await countTokens(rest))
  return said + tokensOfFiles([...before, ...itemsOf(input)]) + (await tokensOf(prompt)) + 16
}

const tokens_of_prompts = new Map<PromptVersion, number>()

async function tokensOf(prompt: PromptVersion): Promise<number> {
  const known = tokens_of_prompts.get(prompt) ?? (await countTokens(prompts[prompt]))
  tokens_of_prompts.set(prompt, known)
  return known
}

/** All text that a person wrote, for the policy and the count of tokens. */
export function textOf({ input, instructions = '' }: Content): string {
  const said = itemsOf(input).map(textIn).join('\n')
  return instructions === '' ? said : `${instructions}\n${said}`
}

type Capable = {
  readonly content: Content
  readonly before: readonly Item[]
  readonly parameters: Pick<Parameters, 'seed' | 'reasoning_effort'>
  readonly class: Call['class']
}

/** What a deployment has to be able to do. */
export function capabilityOf({ content, before, parameters, class: kind }: Capable): string[] {
  const { response_format: format, tools = [], input } = content
  const { seed, reasoning_effort = 'none' } = parameters
  const needed = {
    json_schema: format !== undefined && format.type !== 'text',
    stream: kind === 'stream',
    tools: tools.length > 0,
    reasoning: reasoning_effort !== 'none',
    seed: seed !== undefined,
  }
  const files = filesIn([...before, ...itemsOf(input)]).map(one => one.type)
  const names = Object.entries(needed).flatMap(([name, is_needed]) => (is_needed ? name : []))
  return ['text', ...names, ...new Set(files)]
}

/** Reserved; charged is what the provider reports. */
const image_tokens = 1600
const document_bytes_a_token = 40

function tokensOfFiles(items: readonly Item[]): number {
  return filesIn(items).reduce((sum, file) => {
    const tokens = Math.ceil(bytesOf(file) / document_bytes_a_token)
    return sum + (file.type === 'image' ? image_tokens : tokens)
  }, 0)
}
