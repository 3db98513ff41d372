/**
 * The safety policy: an immutable document of rules. Its version is derived from its content and
 * stored with every decision. A rule finds matches in text. It also recognizes text that could
 * still become a match, so that the scanner of a stream holds back no more than needed.
 */
import { hash } from 'node:crypto'
import type { Kernel } from '../settings.ts'
import { foldText } from './fold-text.ts'

export type Category =
  | 'blocklist'
  | 'pii_email'
  | 'pii_card'
  | 'secret_key'
  | 'prompt_injection'
  | 'provider_refusal'
  | 'provider_content_filter'
export type Decision = 'allow' | 'flag' | 'redact' | 'block'
export type Decided = { readonly category: Category; readonly decision: Decision }

export type Rule = {
  readonly category: Category
  readonly input: Decision
  readonly output: Decision
  /** With the flag `g`. */
  readonly find: RegExp
  /** Matches the end of a text that could become a match, from its first character. */
  readonly open: RegExp
  readonly isMatch?: (found: string) => boolean
  /** Compares the folded text. */
  readonly folds?: true
}

export type Policy = { readonly version: string; readonly rules: readonly Rule[] }

const rules: readonly Rule[] = [
  {
    category: 'secret_key',
    input: 'flag',
    output: 'redact',
    find: /(?<![A-Za-z0-9])(?:sk-[\w-]{20,200}|AKIA[0-9A-Z]{16}|ghp_[A-Za-z0-9]{36})/g,
    open: /(?<![A-Za-z0-9])(?:s|sk|sk-[\w-]{0,199}|A|AK|AKI|AKIA[0-9A-Z]{0,15}|g|gh|ghp|ghp_[A-Za-z0-9]{0,35})$/,
  },
  {
    category: 'pii_card',
    input: 'flag',
    output: 'redact',
    find: /(?<!\d)(?:\d[ -]?){12,18}\d(?!\d)/g,
    open: /(?<!\d)\d(?:[ -]?\d){0,18}[ -]?$/,
    isMatch: hasCheckDigit,
  },
  {
    category: 'pii_email',
    input: 'flag',
    output: 'flag',
    // It does not begin within a word, where each letter would be tried as the beginning.
    find: /(?<![\w.%+-])[\w.%+-]{1,1000}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{2,63}){1,4}/g,
    open: /$^/,
  },
  {
    category: 'prompt_injection',
    input: 'flag',
    output: 'allow',
    find: /\b(?:ignore|disregard|forget)\s{1,4}(?:all\s{1,4}|any\s{1,4})?(?:previous|prior|above|earlier)\s{1,4}(?:instructions|prompts|rules)/gi,
    open: /$^/,
  },
]

export function openPolicy({ settings }: Pick<Kernel, 'settings'>): Policy {
  const words = settings['inference.blocklist'].map(foldText).filter(word => word.length > 0)
  const all = words.length > 0 ? [blocklist(words), ...rules] : rules
  const text = JSON.stringify(
    all.map(one => [one.category, one.input, one.output, one.find.source]),
  )
  return { version: `default@1+${hash('sha256', text).slice(0, 8)}`, rules: all }
}

/** Longest first, so that a word that begins with another one matches as a whole. */
function blocklist(words: readonly string[]): Rule {
  const sorted = [...words].sort((one, other) => other.length - one.length)
  const begun = sorted.map(word =>
    Array.from(word).reduceRight((rest, letter) => `${escape(letter)}(?:${rest})?`, ''),
  )
  const before = String.raw`(?<![\p{L}\p{N}\p{M}])`
  return {
    category: 'blocklist',
    input: 'block',
    output: 'block',
    find: new RegExp(
      String.raw`${before}(?:${sorted.map(escape).join('|')})(?![\p{L}\p{N}\p{M}])`,
      'giu',
    ),
    open: new RegExp(`${before}(?:${begun.join('|')})$`, 'iu'),
    folds: true,
  }
}

function escape(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}

/** The Luhn check of card numbers. */
function hasCheckDigit(found: string): boolean {
  const digits = found.replaceAll(/\D/g, '')
  let sum = 0
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at])
    const doubled = at % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

/** The decisions of the policy about a whole text: one for each category. */
export function decideOn(policy: Policy, stage: 'input' | 'output', text: string): Decided[] {
  const folded = policy.rules.some(one => one.folds) ? foldText(text) : text
  return policy.rules.flatMap(rule => {
    const decision = rule[stage]
    if (decision === 'allow') return []
    // Resets the position that the scanner of another call left in the shared pattern.
    rule.find.lastIndex = 0
    const hit = [...(rule.folds ? folded : text).matchAll(rule.find)].some(
      ([found]) => rule.isMatch?.(found) ?? true,
    )
    return hit ? [{ category: rule.category, decision }] : []
  })
}
