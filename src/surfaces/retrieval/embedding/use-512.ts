/**
 * `use-512@1`: the Universal Sentence Encoder for English, with weights from an installed package.
 * It runs in a worker thread. The thread starts at the first use and ends when it was not used for
 * a while. It computes one text at a time, so a query waits for at most one passage, about 0.1 s.
 * While the process is busy it pauses after each passage for as long as the passage took.
 */
import { Worker } from 'node:worker_threads'
import { normalized } from './hash-ngram.ts'
import { ProfileUnavailable, type LocalProfile } from './profile.ts'
import { weightsFolder } from './use-weights.ts'

const id = 'use-512@1'
const dimensions = 512
const idle_ms = 60_000
/** The encoder's time grows with the square of a text; a chunk has about 2,000 characters. */
const characters_max = 8000

type Wanted = {
  readonly text: string
  readonly purpose: 'query' | 'passage'
  began_ms: number
  resolve(vector: Float32Array): void
  reject(error: unknown): void
}
type Running = { readonly worker: Worker; busy: Wanted | 'starting' | undefined }

export type ClosableProfile = LocalProfile & { close(): Promise<void> }

export function openUse512(busy: () => boolean, folder?: string): ClosableProfile {
  const waiting = { query: [] as Wanted[], passage: [] as Wanted[] }
  let running: Running | undefined
  let idle: NodeJS.Timeout | undefined
  const next = () => {
    clearTimeout(idle)
    if (waiting.query.length + waiting.passage.length > 0) running ??= start()
    if (!running || running.busy !== undefined) return
    const wanted = waiting.query.shift() ?? (pause.lasts() ? undefined : waiting.passage.shift())
    running.busy = wanted
    if (wanted) {
      wanted.began_ms = performance.now()
      running.worker.ref()
      running.worker.postMessage(wanted.text, [])
    } else {
      // A waiting thread does not keep the process alive.
      running.worker.unref()
      idle = setTimeout(() => void running?.worker.terminate(), idle_ms).unref()
    }
  }
  const pause = openPause(busy, next)
  const start = (): Running => {
    const worker = startWorker(folder)
    const mine: Running = { worker, busy: 'starting' }
    worker.on('message', (message: 'ready' | Float32Array<ArrayBuffer>) => {
      if (message !== 'ready' && typeof mine.busy === 'object') {
        mine.busy.resolve(normalized(message))
        pause.after(mine.busy)
      }
      mine.busy = undefined
      next()
    })
    const end = (cause: Error) => {
      if (running === mine) running = undefined
      const error = new ProfileUnavailable(id, cause.message, { cause })
      const failed = mine.busy === 'starting' ? takeAll(waiting) : [mine.busy]
      for (const wanted of failed) wanted?.reject(error)
      mine.busy = undefined
      next()
    }
    worker.once('error', cause => end(cause as Error))
    worker.once('exit', () => running === mine && end(new Error('Its worker thread ended.')))
    return mine
  }
  const embedOne = async (text: string, purpose: Wanted['purpose'], signal?: AbortSignal) =>
    await new Promise<Float32Array>((resolve, reject) => {
      const wanted = { text: text.slice(0, characters_max), purpose, began_ms: 0, resolve, reject }
      const stop = () => {
        const at = waiting[purpose].indexOf(wanted)
        if (at !== -1) waiting[purpose].splice(at, 1)
        reject(signal?.reason as Error)
      }
      if (signal?.aborted) return stop()
      signal?.addEventListener('abort', stop, { once: true })
      waiting[purpose].push(wanted)
      next()
    })
  return {
    id,
    dimensions,
    semantic: true,
    languages: ['en'],
    embed: async (texts, purpose, _payer, signal) =>
      await Promise.all(texts.map(text => embedOne(text, purpose, signal))),
    close: async () => {
      clearTimeout(idle)
      await running?.worker.terminate()
    },
  }
}

/** Passages leave the processor to requests for as long as they use it themselves. */
function openPause(busy: () => boolean, next: () => void) {
  let lasts = false
  return {
    lasts: () => lasts,
    after: ({ purpose, began_ms }: Wanted) => {
      if (purpose === 'query' || !busy()) return
      lasts = true
      setTimeout(() => {
        lasts = false
        next()
      }, performance.now() - began_ms)
    },
  }
}

function takeAll(waiting: { query: Wanted[]; passage: Wanted[] }): Wanted[] {
  return [...waiting.query.splice(0), ...waiting.passage.splice(0)]
}

function startWorker(folder: string | undefined): Worker {
  const program = new URL('./use-512.worker.ts', import.meta.url)
  try {
    // Its environment contains no setting and no secret.
    return new Worker(program, { workerData: { folder: folder ?? weightsFolder() }, env: {} })
  } catch (cause) {
    throw new ProfileUnavailable(id, 'The package of its weights is not installed.', { cause })
  }
}
