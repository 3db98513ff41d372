/**
 * Scans an output while it streams. Text is passed on when no rule can match any more from its
 * position. A redacted match is replaced. Nothing of a blocked match is passed on, not even its
 * first character. The result does not depend on how the text is cut into pieces.
 */
import { foldWithPlaces, lookBehind, refold, unfold, type Folded } from './fold-text.ts'
import type { Decided, Policy, Rule } from './policy.ts'

const redacted = '[redacted]'

export type Scanned = { readonly text: string; readonly blocked: boolean }

type Found = { readonly rule: Rule; readonly from: number; readonly to: number }

export class OutputScanner {
  private readonly rules: readonly Rule[]
  private readonly seen = new Map<string, Decided>()
  /** The last characters that were passed on, because rules look behind. */
  private before = ''
  private held = ''

  constructor({ rules }: Policy) {
    this.rules = rules.filter(one => one.output === 'redact' || one.output === 'block')
  }

  /** The redacted or blocked parts. */
  get decided(): readonly Decided[] {
    return [...this.seen.values()]
  }

  push(text: string): Scanned {
    this.held += text
    return this.drain(false)
  }

  end(): Scanned {
    return this.drain(true)
  }

  private drain(is_last: boolean): Scanned {
    const text = this.before + this.held
    const folded = foldWithPlaces(text)
    const begin = this.before.length
    const safe = is_last ? text.length : this.safeEnd(text, folded, begin)
    let at = begin
    let out = ''
    for (;;) {
      const found = this.next(text, folded, at)
      if (!found || found.from >= safe) break
      const { category, output: decision } = found.rule
      this.seen.set(category, { category, decision })
      out += text.slice(at, found.from)
      if (decision === 'block') return { text: out, blocked: true }
      out += redacted
      at = found.to
    }
    const end = Math.max(at, safe)
    out += text.slice(at, end)
    this.before = text.slice(lookBehind(text, end), end)
    this.held = text.slice(end)
    return { text: out, blocked: false }
  }

  /** The end of the text in which a longer text could not have further matches. */
  private safeEnd(text: string, folded: Folded, begin: number): number {
    let safe = text.length
    // Half of a surrogate pair waits for the other half.
    if (/[\ud800-\udbff]$/.test(text)) safe--
    for (const { open, folds } of this.rules) {
      const from = folds ? folded.text.search(open) : text.search(open)
      if (from === -1) continue
      safe = Math.min(safe, Math.max(folds ? unfold(folded, from) : from, begin))
    }
    return safe
  }

  private next(whole: string, folded: Folded, at: number): Found | undefined {
    let first: Found | undefined
    for (const rule of this.rules) {
      const text = rule.folds ? folded.text : whole
      const place = (of: number) => (rule.folds ? unfold(folded, of) : of)
      rule.find.lastIndex = rule.folds ? refold(folded, at) : at
      for (let match = rule.find.exec(text); match; match = rule.find.exec(text)) {
        if (!(rule.isMatch?.(match[0]) ?? true)) {
          // Another match may begin inside this one, and the result must not depend on where the
          // text was cut.
          rule.find.lastIndex = match.index + 1
          continue
        }
        const end = match.index + match[0].length
        const found = { rule, from: place(match.index), to: place(end) }
        if (!first || found.from < first.from) first = found
        break
      }
    }
    return first
  }
}
