/**
 * Prepares a new call before its transaction begins: counts tokens, chooses deployments, checks the
 * policy and seals the input. It holds no connection, because a long prompt takes time.
 */
import type { RequestKey } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { findCandidates } from '../models/find-candidates.ts'
import { prompts, type PromptVersion } from '../prompts/prompts.ts'
import { decideOn } from '../safety/policy.ts'
import type { Call, Parameters, Workload } from './call.ts'
import { sealContent, type Content, type SealedContent } from './contents.ts'
import { countTokens } from './tokens.ts'

export type NewCall = {
  readonly tenant_id: string
  readonly actor_id: string
  readonly key?: RequestKey | null
  readonly model: string
  readonly content: Content
  readonly parameters: Omit<Parameters, 'max_output_tokens' | 'keyed' | 'deadline_ms'> & {
    readonly max_output_tokens?: number
  }
  readonly prompt: PromptVersion
  readonly workload: Workload
  readonly class: Call['class']
  readonly capability?: readonly string[]
  readonly store?: boolean
  readonly metadata?: Readonly<Record<string, string>>
  readonly deadline_ms: number
  readonly parent_id?: string
  /** A job runs it later. */
  readonly waits?: true
}

export type CallDraft = Omit<NewCall, 'parameters'> &
  Pick<Call, 'candidates' | 'decided' | 'estimated_input' | 'store'> & {
    readonly parameters: Parameters
    /** Null if no other process and no retry can need the content. */
    readonly input: SealedContent | null
  }

const max_output_default = 1024

export async function draftCall(deps: Deps, asked: NewCall): Promise<CallDraft> {
  const { tenant_id, content, prompt, store = true } = asked
  const text = textOf(content)
  const estimated_input = (await countTokens(text)) + (await tokensOf(prompt)) + 16
  const { max_output_tokens: wanted } = asked.parameters
  const candidates = await findCandidates(deps, tenant_id, {
    model: asked.model,
    capability: asked.capability ?? capabilityOf(asked),
    input_tokens: estimated_input,
    max_output: wanted ?? 1,
  })
  const [first] = candidates
  const room = first.max_context - estimated_input
  const max_output_tokens = wanted ?? Math.min(max_output_default, first.max_output, room)
  const keyed = Boolean(asked.key)
  const is_needed = store || keyed || asked.waits
  return {
    ...asked,
    store,
    estimated_input,
    candidates,
    decided: decideOn(deps.policy, 'input', text),
    parameters: {
      ...asked.parameters,
      max_output_tokens,
      keyed,
      deadline_ms: asked.deadline_ms,
    },
    input: is_needed ? sealContent(deps.kernel, store, JSON.stringify(content)) : null,
  }
}

const tokens_of_prompts = new Map<PromptVersion, number>()

async function tokensOf(prompt: PromptVersion): Promise<number> {
  const known = tokens_of_prompts.get(prompt) ?? (await countTokens(prompts[prompt]))
  tokens_of_prompts.set(prompt, known)
  return known
}

/** All text that a person wrote, for the policy and the count of tokens. */
export function textOf({ input, instructions = '' }: Content): string {
  const said = typeof input === 'string' ? input : input.map(one => one.content).join('\n')
  return instructions === '' ? said : `${instructions}\n${said}`
}

function capabilityOf({ content, class: kind }: NewCall): string[] {
  const json = content.response_format?.type === 'json_schema' ? ['json_schema'] : []
  return ['text', ...json, ...(kind === 'stream' ? ['stream'] : [])]
}
