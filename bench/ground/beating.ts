/** The parent's side: starts a process, requests work, and reads its times. */
import { once } from 'node:events'
import { StartError } from '#dodeca/kernel'
import type { Asked, Times } from './answer-beats.ts'
import { ended, startOn, type Start } from './machine.ts'

export type Beating = {
  readonly pid: number | undefined
  /** Creates this much work, one after the other, with a pause between. */
  beat(count: number, gap_ms: number): Promise<void>
  /** The commits and starts in that process since the last call. */
  times(): Promise<Times>
  stop(): Promise<void>
}

export async function startBeating<Ready>(start: Omit<Start, 'stdio'>): Promise<Ready & Beating> {
  const child = startOn({ ...start, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const died = ended(child).then(() => {
    throw new StartError('A process of this comparison ended; what it said stands above.')
  })
  const [message] = (await Promise.race([once(child, 'message'), died])) as [{ ready: Ready }]
  died.catch(() => undefined)
  const asking = async (asked: Asked): Promise<unknown> => {
    child.send(asked)
    const [answer] = (await Promise.race([once(child, 'message'), died])) as [{ done: unknown }]
    return answer.done
  }
  return {
    ...message.ready,
    pid: child.pid,
    beat: async (count, gap_ms) => void (await asking({ ask: 'beat', count, gap_ms })),
    times: async () => (await asking({ ask: 'times' })) as Times,
    stop: async () => {
      child.kill('SIGTERM')
      await ended(child)
    },
  }
}
