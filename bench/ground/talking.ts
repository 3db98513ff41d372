/** A process of a comparison that gets one request at a time and answers it. */
import { once } from 'node:events'
import { StartError } from '#dodeca/kernel'
import { ended, startOn, type Start } from './machine.ts'

export type Talking<Ready> = {
  readonly ready: Ready
  readonly pid: number | undefined
  ask<T>(asked: unknown): Promise<T>
  stop(): Promise<void>
}

export async function startTalking<Ready>(start: Omit<Start, 'stdio'>): Promise<Talking<Ready>> {
  const child = startOn({ ...start, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const died = ended(child).then(() => {
    throw new StartError('A process of this comparison ended; what it said stands above.')
  })
  died.catch(() => undefined)
  const next = async () => {
    const [message] = (await Promise.race([once(child, 'message'), died])) as [unknown]
    return message
  }
  const { ready } = (await next()) as { ready: Ready }
  return {
    ready,
    pid: child.pid,
    ask: async <T>(asked: unknown) => {
      child.send(asked as object)
      return ((await next()) as { done: T }).done
    },
    stop: async () => {
      child.kill('SIGTERM')
      await ended(child)
    },
  }
}
