/**
 * The command-line options of a comparison: the length of a round, the number of rounds, whether
 * the result goes into the documentation, and where to write a profile of the server.
 */
import { parseArgs } from 'node:util'
import { StartError } from '#dodeca/kernel'

export type Options = {
  readonly seconds: number
  readonly warm_seconds: number
  readonly rounds: number
  readonly report: boolean
  /** A folder for CPU profiles of the platform's process. */
  readonly profile: string | null
  /** The one part of a comparison to measure; null for all of them. */
  readonly only: string | null
}

export function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '6' },
      rounds: { type: 'string', default: '3' },
      report: { type: 'boolean', default: false },
      profile: { type: 'string' },
      only: { type: 'string' },
    },
  })
  const seconds = positive('seconds', values.seconds)
  return {
    seconds,
    warm_seconds: Math.min(3, seconds / 2),
    rounds: Math.ceil(positive('rounds', values.rounds)),
    report: values.report,
    profile: values.profile ?? null,
    only: values.only ?? null,
  }
}

function positive(name: string, text: string): number {
  const value = Number(text)
  if (Number.isFinite(value) && value > 0) return value
  throw new StartError(`--${name} must be a number above zero, such as --${name}=30.`)
}
