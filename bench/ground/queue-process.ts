/**
 * graphile-worker in its own process, as its documentation starts it: it adds jobs, runs them, or
 * does both, and reports its times like the platform does.
 */
import { makeWorkerUtils, run, type Runner } from 'graphile-worker'
import { newId } from '#dodeca/kernel'
import { answerBeats, newBeats, nowMs } from './answer-beats.ts'

const [, , connectionString = '', runs = 'runs'] = process.argv
const beats = newBeats()
const utils = await makeWorkerUtils({ connectionString })
await utils.migrate()

let runner: Runner | undefined
if (runs === 'runs') {
  const silent = () => () => {}
  const { Logger } = await import('graphile-worker')
  runner = await run({
    connectionString,
    concurrency: 5,
    noHandleSignals: true,
    logger: new Logger(silent),
    taskList: {
      beat: payload => {
        const { beat_id } = payload as { beat_id: string }
        beats.heard.set(beat_id, nowMs())
      },
    },
  })
}

answerBeats({
  ready: {},
  beats,
  beat: async () => {
    const beat_id = newId()
    await utils.addJob('beat', { beat_id })
    beats.committed.set(beat_id, nowMs())
  },
  end: async () => {
    await runner?.stop()
    await utils.release()
  },
})
