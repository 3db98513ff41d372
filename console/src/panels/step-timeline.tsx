/** The steps of a workflow in order: what is over, and what the run waits for. */
import { nameOf, words } from '../language.ts'
import { useLive } from '../live.ts'
import { callOperation, plain, type Page, type Row } from '../operation.ts'
import { addressOf, Link } from '../router.tsx'
import { useRead, useRereads } from '../use-read.ts'
import { State, Time } from '../value.tsx'
import type { PanelProps } from './panel.ts'

/** The rest is in the API. */
const steps_max = 100
const over = new Set(['succeeded', 'failed', 'cancelled', 'expired'])

export function StepTimeline({ row, path }: PanelProps) {
  const read = useRead(`steps ${plain(row['id'])}`, async signal => {
    const query = { limit: steps_max }
    return (await callOperation('listJobSteps', { path, query, signal })) as Page
  })
  useLive(['job.'], read.reload)
  // A step is recorded without an event.
  useRereads(over.has(plain(row['state'])) ? null : JSON.stringify(read.data), read.reload)
  const steps = read.data?.data ?? []
  // Most jobs are no workflows.
  if (steps.length === 0) return null
  return (
    <section class="card">
      <h2>{words.timeline}</h2>
      <ol class="timeline">
        {steps.map(step => (
          <li key={plain(step['name'])}>
            <Time value={plain(step['created_at'])} /> {plain(step['kind'])}{' '}
            <bdi>{plain(step['name'])}</bdi> <State value={plain(step['state'])} />
            <Facts step={step} />
          </li>
        ))}
        {read.data?.has_more && <li class="soft">…</li>}
      </ol>
    </section>
  )
}

/** What is there for some steps only. */
function Facts({ step }: { readonly step: Row }) {
  const { until, attempts, error_code, child_job_id } = step
  return (
    <>
      {Number(attempts) > 1 && ` ${nameOf('attempts')}: ${plain(attempts)}`}
      {typeof error_code === 'string' && ` ${error_code}`}
      {typeof until === 'string' && (
        <>
          {` ${nameOf('until')} `}
          <Time value={until} />
        </>
      )}
      {typeof child_job_id === 'string' && (
        <>
          {' '}
          <Link to={addressOf(['jobs', 'jobs', child_job_id])}>{child_job_id}</Link>
        </>
      )}
    </>
  )
}
