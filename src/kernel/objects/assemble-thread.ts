/**
 * Assembles an object in its own thread, so that the process can serve requests while it hashes 1
 * GiB.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { assemble } from './assemble.ts'

const { paths, draft } = workerData as { paths: string[]; draft: string }
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage(await assemble(paths, draft))
