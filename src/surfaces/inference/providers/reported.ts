/**
 * The numbers and names that a provider reports about a call. A server may leave them out, or send
 * what a provider cannot mean. Then the tokens are estimated, and the name stays empty.
 */
import type { ProviderUsage } from './provider.ts'

type Reported = { readonly [name in keyof ProviderUsage]: unknown }

const units_max = 100_000_000
const name_max = 100

export function usageFrom(reported: Reported): ProviderUsage | null {
  const { input, cached_input, output, reasoning } = reported
  if (!isCount(input) || !isCount(output)) return null
  return {
    input,
    cached_input: isCount(cached_input) ? Math.min(cached_input, input) : 0,
    output,
    reasoning: isCount(reasoning) ? Math.min(reasoning, output) : 0,
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= units_max
}

/** Without characters that PostgreSQL cannot store. */
export function nameFrom(value: unknown): string {
  if (typeof value !== 'string') return ''
  return value.replaceAll('\0', '').slice(0, name_max).toWellFormed()
}
