/**
 * The child processes that open users' files. A crash is one failed attempt. A child is replaced
 * after 200 files.
 */
import { fileURLToPath } from 'node:url'
import { ChildFailed, openChildPool } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import type {
  Derived,
  DeriveTask,
  InspectorLimits,
  InspectTask,
  Inspection,
  Task,
  TaskReply,
} from './inspector-protocol.ts'
import { Refused } from './inspector-protocol.ts'

/** Whose file it is. */
export type Caller = { readonly tenant_id: string; readonly signal: AbortSignal }

export type Inspectors = {
  inspect(task: Omit<InspectTask, 'task' | 'limits'>, by: Caller): Promise<Inspection>
  derive(task: Omit<DeriveTask, 'task' | 'limits'>, by: Caller): Promise<readonly Derived[]>
  close(): Promise<void>
}

/** The child ended, or was killed, before it replied. */
export class InspectorFailed extends Error {
  override readonly name = 'InspectorFailed'
  readonly code: 'processing_timeout' | 'decoder_crashed'
  constructor(code: InspectorFailed['code']) {
    super(code)
    this.code = code
  }
}

const tasks_max = 200
const program = fileURLToPath(new URL('./inspector.child.ts', import.meta.url))

export function openInspectors({ settings }: Pick<Kernel, 'settings'>): Inspectors {
  const limits: InspectorLimits = {
    image_pixels: settings['uploads.image_pixels'],
    image_side_pixels: settings['uploads.image_side_pixels'],
    image_frames: settings['uploads.image_frames'],
    archive_entries: settings['uploads.archive_entries'],
    archive_depth: settings['uploads.archive_depth'],
    archive_bytes: settings['uploads.archive_bytes'],
    archive_ratio: settings['uploads.archive_ratio'],
    pdf_pages: settings['uploads.pdf_pages'],
  }
  const pool = openChildPool<Task, TaskReply>({
    program,
    env: { VIPS_CONCURRENCY: '1' },
    priority: 'low',
    heap_share: 0.5,
    places: settings['uploads.inspectors'],
    tasks_max,
  })
  const bounds = {
    seconds: settings['uploads.inspect_seconds'],
    memory_bytes: settings['uploads.inspector_bytes'],
  }
  const run = async (task: Task, by: Caller) => {
    const reply = await pool.run(task, bounds, by).catch(failed)
    if ('refused' in reply) throw new Refused(reply.refused)
    return reply
  }
  return {
    inspect: async (task, by) => {
      const reply = await run({ ...task, task: 'inspect', limits }, by)
      if ('inspection' in reply) return reply.inspection
      throw new InspectorFailed('decoder_crashed')
    },
    derive: async (task, by) => {
      const reply = await run({ ...task, task: 'derive', limits }, by)
      if ('derived' in reply) return reply.derived
      throw new InspectorFailed('decoder_crashed')
    },
    close: pool.close,
  }
}

function failed(error: unknown): never {
  if (!(error instanceof ChildFailed)) throw error
  throw new InspectorFailed(error.code === 'timeout' ? 'processing_timeout' : 'decoder_crashed')
}
