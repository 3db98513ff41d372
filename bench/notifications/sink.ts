/** The mail server of the comparison, in a process of its own, the same for everybody who sends to it. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { setTimeout as wait } from 'node:timers/promises'

export type Seen = {
  readonly mails: number
  readonly last_at: number
  /** When each urgent mail came, by its name. */
  readonly urgent: Readonly<Record<string, number>>
}

export type Sink = {
  readonly url: string
  seen(): Promise<Seen>
  reset(): Promise<Seen>
  /** Resolves when so many mails came since the last reset. */
  reached(mails: number): Promise<Seen>
  stop(): void
}

export async function openSink(): Promise<Sink> {
  const child = fork(fileURLToPath(new URL('./sink-process.ts', import.meta.url)))
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  const ask = async (what: 'seen' | 'reset') => {
    child.send({ what })
    const [seen] = (await once(child, 'message')) as [Seen]
    return seen
  }
  return {
    url: `smtp://127.0.0.1:${port}`,
    seen: () => ask('seen'),
    reset: () => ask('reset'),
    reached: async mails => {
      for (let looks = 0; looks < 6000; looks++) {
        const seen = await ask('seen')
        if (seen.mails >= mails) return seen
        await wait(50)
      }
      throw new Error(`not ${mails} mails came: ${(await ask('seen')).mails}`)
    },
    stop: () => child.kill(),
  }
}
