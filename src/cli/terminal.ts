/**
 * The output of a command. A person gets aligned tables and sentences, with colours only on a
 * terminal. A program (`--json`) gets one JSON value per line on standard output and nothing else.
 * Progress goes to standard error, so that it never mixes with results.
 */
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { styleText } from 'node:util'

export type Colour = 'bold' | 'dim' | 'green' | 'yellow' | 'red'

export type Terminal = {
  readonly json: boolean
  /** Prints one result in both forms. */
  answer(value: unknown, lines: readonly string[]): void
  progress(line: string): void
  /** On a terminal the next progress line replaces the last one. `end` keeps the last line. */
  gauge(line: string): void
  endGauge(): void
  paint(colour: Colour, text: string): string
  /**
   * Asks on standard error for a line until a line is accepted. Returns undefined if the input has
   * ended.
   */
  ask<T>(question: string, accept: (line: string) => Promise<T | undefined>): Promise<T | undefined>
  readonly streams: Streams
}

export type Streams = Readonly<
  Record<'stdout' | 'stderr', Writable & { readonly isTTY?: boolean }>
> & { readonly stdin?: Readable }

export function openTerminal(json: boolean, streams: Streams = process): Terminal {
  const { stdout, stderr } = streams
  // A reader such as `head` may close the pipe early. That is not a failure.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
  let gauge = ''
  return {
    json,
    answer: (value, lines) => {
      const text = json ? JSON.stringify(value) : lines.join('\n')
      stdout.write(`${text}\n`)
    },
    progress: line => {
      if (!json) stderr.write(`${line}\n`)
    },
    gauge: line => {
      if (json || line === gauge) return
      gauge = line
      stderr.write(stderr.isTTY ? `\r\u001B[K${line}` : `${line}\n`)
    },
    endGauge: () => {
      if (gauge && !json && stderr.isTTY) stderr.write('\n')
      gauge = ''
    },
    ask: async (question, accept) => {
      const lines = createInterface({ input: streams.stdin ?? process.stdin })
      try {
        stderr.write(question)
        for await (const line of lines) {
          const found = await accept(line)
          if (found !== undefined) return found
          stderr.write(question)
        }
        return undefined
      } finally {
        lines.close()
      }
    },
    paint: (colour, text) => styleText(colour, text, { stream: stdout }),
    streams,
  }
}

/** Columns are as wide as their widest cell, and numbers are aligned right. */
export function table(
  head: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): string[] {
  if (rows.length === 0) return []
  const cells = rows.map(row => row.map(cell => (cell === null ? '-' : String(cell))))
  const widths = head.map((title, at) =>
    Math.max(title.length, ...cells.map(row => row[at]?.length ?? 0)),
  )
  const isNumeric = head.map((_, at) => rows.every(row => typeof row[at] === 'number'))
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) =>
        isNumeric[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0),
      )
      .join('  ')
      .trimEnd()
  return [line(head), ...cells.map(line)]
}
