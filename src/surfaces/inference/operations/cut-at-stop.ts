/**
 * Cuts a streamed text before the first of the caller's stop sequences. Not every provider knows
 * stop sequences, so the platform keeps them for all. Text that could be the beginning of a sequence
 * waits.
 */
export type Cut = { readonly text: string; readonly stop?: string }

export class StopCutter {
  private held = ''
  private readonly stops: readonly string[]

  constructor(stops: readonly string[] = []) {
    this.stops = stops
  }

  push(text: string): Cut {
    if (this.stops.length === 0) return { text }
    const whole = this.held + text
    const places = this.stops.map(stop => ({ stop, at: whole.indexOf(stop) }))
    const [first] = places.filter(({ at }) => at !== -1).toSorted((a, b) => a.at - b.at)
    if (first) {
      this.held = ''
      return { text: whole.slice(0, first.at), stop: first.stop }
    }
    const waiting = Math.max(...this.stops.map(stop => begunAtEnd(whole, stop)))
    this.held = whole.slice(whole.length - waiting)
    return { text: whole.slice(0, whole.length - waiting) }
  }

  /** The text that waited for the rest of a sequence. */
  end(): string {
    const { held } = this
    this.held = ''
    return held
  }
}

/** The length of the longest end of the text with which the sequence begins. */
function begunAtEnd(text: string, stop: string): number {
  let length = Math.min(stop.length - 1, text.length)
  while (length > 0 && !text.endsWith(stop.slice(0, length))) length--
  return length
}
