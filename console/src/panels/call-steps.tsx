/**
 * What a model called on the way to its answer: operations of the platform with their state, and the
 * tools that its caller runs. Another reader than the caller gets no arguments and results.
 */
import { nameOf } from '../language.ts'
import { State } from '../value.tsx'
import type { PanelProps } from './panel.ts'

export type ToolCall = {
  readonly id: string
  readonly name: string
  readonly state?: string
  readonly arguments: string | null
  readonly output?: string | null
}
type Step = { readonly text?: string; readonly tool_calls: readonly ToolCall[] }
type Output = { readonly steps?: readonly Step[]; readonly tool_calls?: readonly ToolCall[] }

export function stepsOf(row: PanelProps['row']): readonly Step[] {
  const { steps = [], tool_calls = [] } = (row['output'] ?? {}) as Output
  return tool_calls.length > 0 ? [...steps, { tool_calls }] : steps
}

export function CallSteps({ row }: Pick<PanelProps, 'row'>) {
  const all = stepsOf(row)
  if (all.length === 0) return null
  return (
    <section class="card">
      <h2>{nameOf('steps')}</h2>
      <ol class="timeline">
        {all.map(({ text = '', tool_calls: calls }, at) => (
          <li key={at}>
            {text !== '' && <p>{text}</p>}
            {calls.map(call => (
              <Called key={call.id} call={call} />
            ))}
          </li>
        ))}
      </ol>
    </section>
  )
}

function Called({ call }: { readonly call: ToolCall }) {
  const { name, state, arguments: given, output } = call
  const head = (
    <>
      <code>{name}</code> {state !== undefined && <State value={state} />}
    </>
  )
  const parts = { arguments: given, output }
  const said = Object.entries(parts).filter(([, text]) => typeof text === 'string')
  if (said.length === 0) return <p>{head}</p>
  return (
    <details>
      <summary>{head}</summary>
      {said.map(([part, text]) => (
        <pre key={part} tabIndex={0} aria-label={nameOf(part)}>
          {text}
        </pre>
      ))}
    </details>
  )
}
