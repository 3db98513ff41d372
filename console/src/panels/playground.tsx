/** Calls a model and shows its answer while it is written, with its usage and cost. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { InferenceEvent } from '../../../client/src/index.ts'
import { nameOf, words } from '../language.ts'
import { callOperation, plain, type Page, type Row } from '../operation.ts'
import { ProblemBox } from '../problem-box.tsx'
import { mayCall } from '../resource.ts'
import { addressOf, Link } from '../router.tsx'
import { client } from '../session.ts'
import { useRead } from '../use-read.ts'

export function Playground() {
  const models = useRead('models to call', async signal => {
    const page = await callOperation('listModels', { query: { limit: 100 }, signal })
    return namesOf((page as Page).data)
  })
  const { text, usage, id, busy, error, call, stop } = useModel()
  const [input, type] = useState('')
  const [chosen, choose] = useState('')
  if (!mayCall('streamInference')) return null
  const names = models.data ?? []
  const model = chosen || names[0] || ''
  return (
    <section class="card ask">
      <form
        onSubmit={event => {
          event.preventDefault()
          void call(model, input)
        }}
      >
        <label class="field">
          <span>{nameOf('model')}</span>
          <select required value={model} onChange={event => choose(event.currentTarget.value)}>
            {names.map(one => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>{nameOf('input')}</span>
          <textarea
            required
            rows={3}
            value={input}
            onInput={event => type(event.currentTarget.value)}
          />
        </label>
        <button class="main" disabled={busy || model === ''}>
          {words.send}
        </button>
        {busy && (
          <button type="button" onClick={stop}>
            {words.stop}
          </button>
        )}
      </form>
      {models.error !== undefined && <ProblemBox error={models.error} />}
      {error !== undefined && <ProblemBox error={error} />}
      {text !== '' && (
        <p class="answer" aria-live="polite" aria-busy={busy}>
          {text}
        </p>
      )}
      {usage && (
        <p class="soft foot">
          <span>
            {`${nameOf('input_tokens')} ${usage.input_units} · ${nameOf('output_tokens')} ${usage.output_units} · ${usage.cost_amount} ${usage.currency}`}
          </span>
          <Link to={addressOf(['inference', 'inferences', id])}>{words.open}</Link>
        </p>
      )}
    </section>
  )
}

/** The names of the models that write text. */
export function namesOf(models: readonly Row[]): string[] {
  const writing = models.filter(
    one => one['state'] === 'active' && plain(one['capability']).includes('text'),
  )
  const aliases = writing.flatMap(one => one['aliases'] as readonly Row[])
  const names = [...aliases.map(one => one['alias']), ...writing.map(one => one['id'])]
  return [...new Set(names.map(plain))]
}

type Usage = InferenceEvent & { readonly type: 'usage' }

function useModel() {
  const [text, write] = useState('')
  const [usage, spend] = useState<Usage>()
  const [id, name] = useState('')
  const [busy, set] = useState(false)
  const [failure, fail] = useState<unknown>()
  const running = useRef<AbortController>()
  const stop = () => running.current?.abort()
  // Leaving the page cancels the call at the platform and at the provider.
  useEffect(() => stop, [])
  const call = async (model: string, input: string) => {
    const running_now = new AbortController()
    const { signal } = running_now
    running.current = running_now
    set(true)
    write('')
    spend(undefined)
    fail(undefined)
    try {
      for await (const event of client().inferences.stream({ model, input }, { signal })) {
        if (event.type === 'started') name(event.operation_id)
        if (event.type === 'delta') write(before => before + event.text)
        if (event.type === 'usage') spend(event)
      }
    } catch (error) {
      if (!signal.aborted) fail(error)
    } finally {
      set(false)
    }
  }
  return { text, usage, id, busy, error: failure, call, stop }
}
