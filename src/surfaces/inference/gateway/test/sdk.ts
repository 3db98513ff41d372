/** Clients of other APIs at the platform, each with an API key of a person. */
import OpenAI from 'openai'
import { expect } from 'vitest'
import { newKey } from '../../../../../test/world.ts'
import type { InferenceWorld, Someone } from '../../test/inference-world.ts'

export type Caller = Someone & { readonly api_key: string }

export async function callerOf(world: InferenceWorld, one?: Someone): Promise<Caller> {
  const someone = one ?? (await world.someone())
  const permissions = ['inference.operations.create', 'inference.models.read']
  const made = await someone.ask(
    'POST',
    '/v1/api-keys',
    { name: 'an SDK', permissions },
    { key: newKey() },
  )
  expect(made.status, made.text).toBe(201)
  return { ...someone, api_key: made.body.key }
}

export function openaiAt(world: InferenceWorld, { api_key }: Pick<Caller, 'api_key'>): OpenAI {
  return new OpenAI({ baseURL: `${world.url}/v1`, apiKey: api_key, maxRetries: 0 })
}

/** The error that the SDK throws. */
export async function failure(
  work: PromiseLike<unknown>,
): Promise<InstanceType<typeof OpenAI.APIError>> {
  try {
    await work
  } catch (error) {
    if (error instanceof OpenAI.APIError) return error
    throw error
  }
  throw new Error('the call succeeded')
}

/** One pixel. */
export const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
