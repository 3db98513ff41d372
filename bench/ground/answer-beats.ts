/**
 * The child's side of the protocol: it creates work on request, and reports when each piece was
 * committed and when it was started. The clock is the machine's monotonic one, which all processes
 * share.
 */
export type Beats = { readonly committed: Map<string, number>; readonly heard: Map<string, number> }

export type Asked =
  | { readonly ask: 'beat'; readonly count: number; readonly gap_ms: number }
  | { readonly ask: 'times' }

export type Times = { committed: [string, number][]; heard: [string, number][] }

export function newBeats(): Beats {
  return { committed: new Map(), heard: new Map() }
}

/** Milliseconds on the clock that all processes of the machine share. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

export type Beater = {
  readonly ready: unknown
  readonly beats: Beats
  beat(): Promise<void>
  end(): Promise<void>
}

export function answerBeats({ ready, beats, beat, end }: Beater): void {
  const { committed, heard } = beats
  const answer = async (asked: Asked): Promise<unknown> => {
    if (asked.ask === 'beat') {
      for (let sent = 0; sent < asked.count; sent++) {
        await beat()
        if (asked.gap_ms > 0) await new Promise(resolve => setTimeout(resolve, asked.gap_ms))
      }
      return true
    }
    const times: Times = { committed: [...committed], heard: [...heard] }
    committed.clear()
    heard.clear()
    return times
  }
  let ending = false
  const leave = async () => {
    if (ending) return
    ending = true
    await end()
    process.exit(0)
  }
  process.on('message', (asked: Asked) => {
    void answer(asked).then(done => process.send?.({ done }))
  })
  process.once('disconnect', () => void leave())
  process.once('SIGTERM', () => void leave())
  process.send?.({ ready })
}
