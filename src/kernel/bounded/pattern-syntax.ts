/**
 * Parses an ECMAScript regular expression with the flag `u` into a tree. JavaScript's own parser
 * has already accepted the expression, so this parser does not check the syntax again. A character
 * class stays text: JavaScript's own engine checks whether one character matches it.
 */
import { Refused } from './work.ts'

export type Node =
  | { readonly kind: 'one'; readonly class: string }
  | { readonly kind: 'assert'; readonly what: Assertion }
  | { readonly kind: 'sequence'; readonly of: readonly Node[] }
  | { readonly kind: 'choice'; readonly of: readonly Node[] }
  | { readonly kind: 'repeat'; readonly of: Node; readonly min: number; readonly max: number }

export type Assertion = '^' | '$' | 'b' | 'B'

const escape =
  /\\(?:[pP]\{[^}]*\}|u\{[0-9a-fA-F]+\}|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[a-zA-Z]|[^])/uy
const classes = /\[(?:\\[^]|[^\]\\])*\]/uy
const quantifier = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/uy
const group = /\((?:\?:|\?<(?![=!])[^>]*>|(?!\?))/uy

export function readPattern(source: string): Node {
  return new Reader(source).whole()
}

class Reader {
  private readonly source: string
  private at = 0

  constructor(source: string) {
    this.source = source
  }

  whole(): Node {
    return this.choice()
  }

  private choice(): Node {
    const of = [this.sequence()]
    while (this.source[this.at] === '|') {
      this.at++
      of.push(this.sequence())
    }
    return of.length === 1 ? (of[0] as Node) : { kind: 'choice', of }
  }

  private sequence(): Node {
    const of: Node[] = []
    while (this.at < this.source.length && !'|)'.includes(this.source[this.at] ?? '')) {
      of.push(this.repeated(this.atom()))
    }
    return { kind: 'sequence', of }
  }

  private repeated(of: Node): Node {
    const found = this.take(quantifier)
    if (!found) return of
    const [, sign, least, comma, most] = found
    if (sign)
      return { kind: 'repeat', of, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity }
    const min = Number(least)
    return { kind: 'repeat', of, min, max: comma ? Number(most || Infinity) : min }
  }

  private atom(): Node {
    const next = this.source[this.at]
    if (next === '^' || next === '$') {
      this.at++
      return { kind: 'assert', what: next }
    }
    if (next === '(') return this.group()
    if (next === '[') return { kind: 'one', class: this.take(classes)?.[0] ?? '' }
    if (next === '\\') return escaped(this.take(escape)?.[0] ?? '')
    const one = String.fromCodePoint(this.source.codePointAt(this.at) ?? 0)
    this.at += one.length
    return { kind: 'one', class: one }
  }

  private group(): Node {
    if (!this.take(group)) {
      throw new Refused(
        'Look-ahead, look-behind and flags inside a pattern are not supported. Write the pattern without (?=, (?!, (?<=, (?<! and (?i:.',
      )
    }
    const of = this.choice()
    this.at++
    return of
  }

  private take(form: RegExp): RegExpExecArray | null {
    form.lastIndex = this.at
    const found = form.exec(this.source)
    if (found) this.at += found[0].length
    return found
  }
}

function escaped(text: string): Node {
  if (text === '\\b' || text === '\\B') return { kind: 'assert', what: text === '\\b' ? 'b' : 'B' }
  if (/^\\[1-9k]/.test(text)) {
    throw new Refused(
      'A pattern cannot refer back to a group (\\1, \\k<name>). Write out what the group matches.',
    )
  }
  return { kind: 'one', class: text }
}
