/**
 * A sleep that a wake-up ends. If a wake-up arrives while the owner is awake, the wake-up is not
 * lost: the owner's next sleep ends immediately.
 */
export type Sleeper = {
  /** Sleeps until the time is over or a wake-up arrives. */
  sleep(ms: number): Promise<void>
  /** Sleeps until the time is over. Only closing ends it earlier. */
  sleepThrough(ms: number): Promise<void>
  wake(): void
  /** After this call every sleep ends immediately. */
  close(): void
}

export function openSleeper(): Sleeper {
  let owed = false
  let closed = false
  let rise: (() => void) | undefined
  let ignores_wakes = false

  const nap = (ms: number, through: boolean) =>
    new Promise<void>(resolve => {
      if (closed || (owed && !through)) {
        owed = false
        return resolve()
      }
      ignores_wakes = through
      const timer = setTimeout(() => rise?.(), ms)
      rise = () => {
        clearTimeout(timer)
        rise = undefined
        resolve()
      }
    })

  return {
    sleep: ms => nap(ms, false),
    sleepThrough: ms => nap(ms, true),
    wake: () => {
      if (rise && !ignores_wakes) rise()
      else owed = true
    },
    close: () => {
      closed = true
      rise?.()
    },
  }
}
