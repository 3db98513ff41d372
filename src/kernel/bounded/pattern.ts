/**
 * Regular expressions from outside. The time of a match grows only linearly with the text. The
 * dialect is ECMAScript with the flag `u`, as JSON Schema requires, without the features that no
 * linear engine can support. The pattern becomes a list of instructions (Thompson). All threads
 * walk through the text together, and each instruction runs at most once for each character (Pike).
 * We measured the library `re2js` (263 kB) first and did not take it. It counts no steps. It
 * compiles `(?:x{1000}){70}` in 720 ms, and matches 16 kB in 1 to 14 s if the program is long. Its
 * dialect also differs.
 */
import { Refused, Work } from './work.ts'
import { readPattern, type Assertion, type Node } from './pattern-syntax.ts'

export type Pattern = {
  readonly source: string
  readonly instructions: number
  /**
   * Whether the pattern occurs in the text. Matching spends one step for each instruction at each
   * character.
   */
  test(text: string, work?: Work): boolean
}

const pattern_chars_max = 1000
/** A pattern of 200 instructions on 1,000 characters uses all steps of one check. */
const instructions_max = 5000

/** Compiles the pattern, or throws a `Refused` that gives the reason. */
export function compilePattern(source: string): Pattern {
  if (source.length > pattern_chars_max) {
    throw new Refused(`A pattern has at most ${pattern_chars_max} characters.`)
  }
  try {
    // This only parses the pattern: a native RegExp never runs on more than one character.
    // oxlint-disable-next-line no-new -- the constructor is the parser
    new RegExp(source, 'u')
  } catch (error) {
    throw new Refused(`The pattern is not valid: ${(error as Error).message}.`)
  }
  const program = new Program()
  program.add(readPattern(source))
  program.end()
  return {
    source,
    instructions: program.code.length,
    test: (text, work = new Work()) => run(program, text, work),
  }
}

type Instruction =
  | { readonly op: 'one'; readonly fits: (point: number) => boolean }
  | { readonly op: 'assert'; readonly what: Assertion }
  | { readonly op: 'split'; first: number; second: number }
  | { readonly op: 'match' }

class Program {
  readonly code: Instruction[] = []
  private readonly kinds = new Map<string, (point: number) => boolean>()

  add(node: Node): void {
    if (node.kind === 'one') this.push({ op: 'one', fits: this.kind(node.class) })
    else if (node.kind === 'assert') this.push({ op: 'assert', what: node.what })
    else if (node.kind === 'sequence') for (const one of node.of) this.add(one)
    else if (node.kind === 'choice') this.choose(node.of)
    else this.repeat(node.of, node.min, node.max)
  }

  end(): void {
    this.push({ op: 'match' })
  }

  private choose(of: readonly Node[]): void {
    const ends: Jump[] = []
    of.forEach((one, at) => {
      if (at === of.length - 1) return this.add(one)
      const split = this.split()
      split.first = this.code.length
      this.add(one)
      ends.push(this.split())
      split.second = this.code.length
    })
    for (const end of ends) {
      end.first = this.code.length
      end.second = this.code.length
    }
  }

  private repeat(of: Node, min: number, max: number): void {
    for (let n = 0; n < min; n++) this.once(of)
    if (max === Infinity) {
      const start = this.code.length
      const split = this.split()
      split.first = this.code.length
      this.add(of)
      const back = this.split()
      back.first = start
      back.second = start
      split.second = this.code.length
      return
    }
    const skips: Jump[] = []
    for (let n = min; n < max; n++) {
      const skip = this.split()
      skip.first = this.code.length
      this.once(of)
      skips.push(skip)
    }
    for (const skip of skips) skip.second = this.code.length
  }

  /**
   * A part without instructions, such as `(?:){999999999}`, would escape the limit on instructions.
   * So such a part counts as one instruction.
   */
  private once(of: Node): void {
    const before = this.code.length
    this.add(of)
    if (this.code.length === before) this.split().first = this.code.length
  }

  private split(): Jump {
    const split: Jump = { op: 'split', first: this.code.length + 1, second: this.code.length + 1 }
    this.push(split)
    return split
  }

  private push(instruction: Instruction): void {
    if (this.code.length >= instructions_max) {
      throw new Refused(
        `The pattern is too large: written out, its repetitions make more than ${instructions_max} steps. Use smaller counts, or an open one (+ or *) with a maxLength.`,
      )
    }
    this.code.push(instruction)
  }

  private kind(source: string): (point: number) => boolean {
    const known = this.kinds.get(source)
    if (known) return known
    const made = fitsOne(source)
    this.kinds.set(source, made)
    return made
  }
}

type Jump = Extract<Instruction, { op: 'split' }>

/** JavaScript's own engine checks one character at a time. Results for ASCII are cached. */
function fitsOne(source: string): (point: number) => boolean {
  if (source.length === 1 && source !== '.') {
    const only = source.codePointAt(0)
    return point => point === only
  }
  const form = new RegExp(`^${source}$`, 'u')
  const ascii = new Int8Array(128)
  return point => {
    const known = point < 128 ? ascii[point] : 0
    if (known) return known > 0
    const fits = form.test(String.fromCodePoint(point))
    if (point < 128) ascii[point] = fits ? 1 : -1
    return fits
  }
}

/**
 * The threads at one place of the text. Each thread is an instruction, and each instruction occurs
 * at most once.
 */
type Threads = { count: number; readonly at: Int32Array }

type Place = { readonly before: number; readonly after: number }
const nothing = -1

function run({ code }: Program, text: string, work: Work): boolean {
  const seen = new Int32Array(code.length).fill(-1)
  const stack: number[] = []
  let here: Threads = { count: 0, at: new Int32Array(code.length) }
  let next: Threads = { count: 0, at: new Int32Array(code.length) }

  /** Follows the instructions that consume no character. Returns true if the pattern ends here. */
  const enter = (start: number, threads: Threads, round: number, place: Place): boolean => {
    stack.push(start)
    let entered = 0
    for (let pc = stack.pop(); pc !== undefined; pc = stack.pop()) {
      entered++
      if (seen[pc] === round) continue
      seen[pc] = round
      const one = code[pc] as Instruction
      if (one.op === 'match') return true
      if (one.op === 'one') threads.at[threads.count++] = pc
      else if (one.op === 'split') stack.push(one.second, one.first)
      else if (holds(one.what, place)) stack.push(pc + 1)
    }
    work.spend(entered)
    return false
  }

  let before = nothing
  for (let index = 0, round = 0; ; round++) {
    const after = text.codePointAt(index) ?? nothing
    if (enter(0, here, round, { before, after })) return true
    if (after === nothing) return false
    index += after > 0xffff ? 2 : 1
    const place = { before: after, after: text.codePointAt(index) ?? nothing }
    work.spend(here.count)
    for (let n = 0; n < here.count; n++) {
      const pc = here.at[n] as number
      const one = code[pc]
      if (one?.op === 'one' && one.fits(after) && enter(pc + 1, next, round + 1, place)) return true
    }
    const used = here
    here = next
    next = used
    next.count = 0
    before = after
  }
}

function holds(what: Assertion, { before, after }: Place): boolean {
  if (what === '^') return before === nothing
  if (what === '$') return after === nothing
  return (isWord(before) !== isWord(after)) === (what === 'b')
}

function isWord(point: number): boolean {
  return (
    (point >= 97 && point <= 122) ||
    (point >= 65 && point <= 90) ||
    (point >= 48 && point <= 57) ||
    point === 95
  )
}
